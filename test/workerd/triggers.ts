/**
 * Owns: the triggers of the worker under test, one a scheme and one for each way in which a trigger can be wrong.
 */

import { z } from "zod";
import {
  githubSignature,
  slackSignature,
  standardWebhooks,
} from "../../src/inbound/webhook-signatures.ts";
import type { TriggersByName } from "../../src/triggers.ts";

const eventSchema = z.object({ say: z.unknown(), session: z.unknown() }).partial();

/** What the event itself says, so that a test can say anything. */
function input(body: unknown): string | undefined {
  return eventSchema.parse(body).say as string | undefined;
}

function session(body: unknown): string | undefined {
  return eventSchema.parse(body).session as string | undefined;
}

function steadyInput(body: unknown): string | undefined {
  return `An event of ${JSON.stringify(body).length} characters`;
}

const agent = "playground";
const workspace = "dev";

export const triggers: TriggersByName = {
  standard: { verify: standardWebhooks("STANDARD_SECRET"), workspace, agent, session, input },
  github: {
    verify: githubSignature("GITHUB_SECRET"),
    workspace,
    agent,
    input: (body, { headers, eventId }) =>
      headers.get("x-github-event") === "issues" ? `${eventId}: ${input(body)}` : undefined,
  },
  slack: {
    verify: slackSignature("SLACK_SECRET"),
    workspace,
    agent,
    input: (body) => [{ type: "json", value: z.json().parse(body) }],
  },
  // Whatever is in the event, their code takes it.
  "steady-github": {
    verify: githubSignature("GITHUB_SECRET"),
    workspace,
    agent,
    input: steadyInput,
  },
  "steady-slack": { verify: slackSignature("SLACK_SECRET"), workspace, agent, input: steadyInput },
  "steady-standard": {
    verify: standardWebhooks("STANDARD_SECRET"),
    workspace,
    agent,
    session: () => "steady",
    input: steadyInput,
  },
  elsewhere: { verify: githubSignature("GITHUB_SECRET"), workspace: "other", agent, input },
  unplaced: { verify: githubSignature("GITHUB_SECRET"), input },
  forgotten: { verify: githubSignature("FORGOTTEN_SECRET"), workspace, agent, input },
  blank: { verify: githubSignature("BLANK_SECRET"), workspace, agent, input },
  mistaken: { verify: standardWebhooks("GITHUB_SECRET"), workspace, agent, input },
};
