import { Webhook } from "standardwebhooks";

export default {
  async fetch(request: Request, env: { WEBHOOK_SECRET: string }): Promise<Response> {
    const body = await request.text();
    let event;
    try {
      const headers = Object.fromEntries(request.headers);
      event = new Webhook(env.WEBHOOK_SECRET).verify(body, headers) as {
        type: string;
        data: { requestId: string; question: string; answerUrl?: string };
      };
    } catch {
      return new Response("not genuine", { status: 401 });
    }
    console.log(event.type, event.data.requestId, event.data.question, event.data.answerUrl);
    return new Response(null, { status: 204 });
  },
};
