import {
  createHarness,
  defineAgent,
  githubSignature,
  resolveModel,
  slackSignature,
  standardWebhooks,
} from "../../../src/holdpoint.ts";
import { z } from "zod";

const issueEvent = z.object({
  action: z.string(),
  issue: z.object({ number: z.number(), title: z.string(), body: z.string().nullable() }),
  repository: z.object({ id: z.number() }),
});
const mention = z.object({
  event: z.object({ type: z.string(), channel: z.string(), text: z.string() }),
});
const payment = z.object({
  type: z.string(),
  data: z.object({ id: z.string(), amount: z.number() }),
});

const harness = createHarness({
  agents: (env) => ({
    desk: defineAgent({
      model: resolveModel(String(env["MODEL"] ?? "demo"), env),
      system: "You look at what comes in, and ask a person before anything that costs money.",
      humanInput: true,
    }),
  }),
  triggers: {
    // One session an issue: all that happens to it is one conversation.
    github: {
      verify: githubSignature("GITHUB_SECRET"),
      workspace: "acme",
      session: (body) => {
        const { repository, issue } = issueEvent.parse(body);
        return `github:${repository.id}:${issue.number}`;
      },
      input: (body, { headers }) => {
        if (headers.get("x-github-event") !== "issues") return undefined;
        const { action, issue } = issueEvent.parse(body);
        return action === "opened" ? `${issue.title}\n\n${issue.body ?? ""}` : undefined;
      },
    },
    // One session a channel.
    slack: {
      verify: slackSignature("SLACK_SIGNING_SECRET"),
      workspace: "acme",
      session: (body) => `slack:${mention.parse(body).event.channel}`,
      input: (body) => {
        const { event } = mention.parse(body);
        return event.type === "app_mention" ? event.text : undefined;
      },
    },
    // A session of its own for each event.
    payments: {
      verify: standardWebhooks("PAYMENTS_SECRET"),
      workspace: "acme",
      input: (body) => {
        const { type, data } = payment.parse(body);
        return type === "payment.disputed" ? [{ type: "json", value: data }] : undefined;
      },
    },
  },
});

export class Session extends harness.Session {}
export class Inbox extends harness.Inbox {}
export default harness.worker;
