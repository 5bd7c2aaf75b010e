import { Webhook } from "standardwebhooks";
import { expect, it, vi } from "vitest";
import type { Question } from "../../src/core/question.ts";
import { checkWebhookUrl } from "../../src/outbound/webhook-url.ts";
import { sendWebhook } from "../../src/outbound/webhook.ts";
import { HOSTILE_URLS, PUBLIC_URLS } from "../outbound/hostile-urls.ts";

// The runtime's parser is not Node's, and it is the one that the rules lean on.
it("judges every address in the runtime as it does in Node", () => {
  const accepted = (url: string) => checkWebhookUrl(url, false) === undefined;
  expect(HOSTILE_URLS.filter(accepted)).toEqual([]);
  expect(PUBLIC_URLS.filter(accepted)).toEqual(PUBLIC_URLS);
});

it("signs and sends in the runtime", async () => {
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const sent: Request[] = [];
  const fetched = vi.spyOn(globalThis, "fetch").mockImplementation((url, request) => {
    sent.push(new Request(url as string, request as RequestInit));
    return Promise.resolve(new Response("taken"));
  });
  await sendWebhook({
    url: "https://example.com/hooks",
    secret,
    id: "notice_1",
    event: "question.asked",
    payload: { question: "Ünïcödé 👍?" } as Question,
    now: Date.now(),
    development: false,
  }).finally(() => fetched.mockRestore());
  const [request = expect.fail()] = sent;
  expect(request).toMatchObject({ method: "POST", redirect: "manual" });
  expect(request.url).toBe("https://example.com/hooks");
  const headers = Object.fromEntries(request.headers);
  expect(new Webhook(secret).verify(await request.text(), headers)).toMatchObject({
    type: "question.asked",
    data: { question: "Ünïcödé 👍?" },
  });
});
