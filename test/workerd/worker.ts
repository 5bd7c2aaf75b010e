import { jsonSchema, tool } from "ai";
import { z } from "zod";
import { scriptModel } from "../../src/agent/script-model.ts";
import { harnessToolContext } from "../../src/agent/tool-context.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { createHarness } from "../../src/harness.ts";
import { defineAgent } from "../../src/options.ts";
import { playground } from "../../src/playground.ts";
import { sendEmail } from "../fixtures/samples/send-email.ts";
import { childAgents } from "./child-agents.ts";
import { deliverAgents } from "./deliver-agents.ts";
import { faults } from "./faults.ts";
import { deskAgents } from "./desk-agents.ts";
import { ledger } from "./ledger.ts";
import { shapeAgents } from "./shape-agents.ts";
import { mail, mailAgents } from "./mail-agents.ts";
import { poisonAgents } from "./poison-agents.ts";
import { slackAgents } from "./slack-agents.ts";
import { stage } from "./stage.ts";
import { triggers } from "./triggers.ts";
import { talkingAgents } from "./talking-agents.ts";

function recorded(description: string) {
  return tool({
    description,
    inputSchema: z.strictObject({ what: z.string() }),
    execute: ({ what }, options) => {
      ledger.record(what, harnessToolContext(options).idempotencyKey);
      return { done: what };
    },
  });
}

/** Stands at its gate until the test opens it, whatever the signal says, and records its effect then. */
const gated = tool({
  description: "Wait at a gate.",
  inputSchema: z.strictObject({ gate: z.string(), ask: z.string().optional() }),
  execute: async ({ gate, ask }, options) => {
    const context = harnessToolContext(options);
    options.abortSignal?.addEventListener("abort", () => stage.pass(`${gate}, aborted`));
    await stage.stopAt(gate);
    ledger.record(gate, context.idempotencyKey);
    if (ask === undefined) return { passed: gate };
    try {
      return await context.ask?.({ question: ask });
    } finally {
      stage.pass(`${gate}, asked`);
    }
  },
});

/** Checks its input as long as the test says. */
const checked = tool({
  description: "Do it, once the input is checked.",
  inputSchema: jsonSchema<JsonObject>(
    { type: "object" },
    {
      validate: async (value) => {
        await stage.check();
        return { success: true, value: value as JsonObject };
      },
    },
  ),
  execute: (_input, options) => {
    ledger.record("checked", harnessToolContext(options).idempotencyKey);
    return { done: true };
  },
});

const UNUSUAL: Readonly<Record<string, () => unknown>> = {
  nothing: () => undefined,
  null: () => null,
  function: () => () => 1,
  bigint: () => 10n,
  date: () => new Date(0),
  notANumber: () => ({ value: Number.NaN }),
  surrogate: () => "\ud800",
  cycle: () => {
    const value: Record<string, unknown> = {};
    value["self"] = value;
    return value;
  },
  thrownText: () => {
    // oxlint-disable-next-line typescript/only-throw-error -- a tool's author may
    throw "just a text";
  },
  thrownNothing: () => {
    // oxlint-disable-next-line typescript/only-throw-error -- a tool's author may
    throw undefined;
  },
};

const unusual = tool({
  description: "Return something unusual.",
  inputSchema: z.strictObject({ what: z.enum(Object.keys(UNUSUAL)) }),
  execute: ({ what }) => UNUSUAL[what]?.(),
});

const clientTool = tool({
  description: "The caller's.",
  inputSchema: z.looseObject({}),
  outputSchema: z.json(),
});

export const harness = createHarness(
  {
    triggers,
    agents: {
      playground: playground(),
      ...childAgents,
      ...deliverAgents,
      ...shapeAgents,
      ...deskAgents,
      ...mailAgents,
      ...slackAgents,
      ...talkingAgents,
      ...poisonAgents,
      /** Effects that are idempotent by their key, so a crash may run them again but never do them twice. */
      retrying: defineAgent({
        model: scriptModel,
        system: "You play a script.",
        tools: {
          charge: recorded("Charge."),
          notify: recorded("Notify."),
          refund: recorded("Refund."),
        },
        toolRules: {
          charge: { interrupted: "retry" },
          notify: { interrupted: "retry" },
          refund: { interrupted: "retry", editable: true },
        },
        approvals: { refund: "always" },
        humanInput: true,
        userQuestions: true,
      }),
      /** Effects whose interruption is reported. */
      reporting: defineAgent({
        model: scriptModel,
        system: "You play a script.",
        tools: { charge: recorded("Charge.") },
        humanInput: { recipients: ["underwriter"] },
      }),
      /** Tools that stand still, come back with something odd, or need what the test's policy says. */
      staged: defineAgent({
        model: scriptModel,
        system: "You play a script.",
        tools: {
          gated,
          gated_beside: gated,
          read_gated: gated,
          hasty: gated,
          unusual,
          guarded: recorded("Do it, once the policy allows."),
          guarded_again: recorded("Do it, once the policy allows, and again after a crash."),
          guarded_beside: recorded("Do it beside the turn, once the policy allows."),
          guarded_hasty: recorded("Do it, once the policy allows, and soon."),
          checked,
          client_tool: clientTool,
        },
        toolRules: {
          gated_beside: { background: true },
          read_gated: { effect: false },
          hasty: { timeoutMs: 20 },
          guarded: { editable: true },
          guarded_again: { interrupted: "retry" },
          guarded_beside: { background: true },
          guarded_hasty: { timeoutMs: 20 },
          checked: { timeoutMs: 20, editable: true },
        },
        approvals: {
          guarded: () => stage.decide(),
          guarded_again: () => stage.decide(),
          guarded_beside: () => stage.decide(),
          guarded_hasty: () => stage.decide(),
          checked: () => stage.decide(),
        },
        humanInput: { recipients: ["underwriter"] },
        userQuestions: true,
      }),
      /** Parked by one test alone, which counts its turns. */
      counted: defineAgent({
        model: scriptModel,
        system: "You play a script.",
        tools: { guarded: recorded("Do it, once somebody allows it."), client_tool: clientTool },
        approvals: { guarded: "always" },
      }),
      /** Its tool asks on its first call, and acts on its next. */
      mailing: defineAgent({
        model: scriptModel,
        system: "You play a script.",
        tools: { sendEmail },
        humanInput: { tool: false },
      }),
      /** Everything in small numbers. */
      brief: defineAgent({
        model: scriptModel,
        system: "You play a script.",
        humanInput: { tool: false },
        maxSteps: 3,
        maxTokens: 1_000,
        maxAttempts: 2,
        modelTimeoutMs: 30,
        extraBodyBytes: 10_000,
      }),
    },
    mail,
  },
  {
    now: () => faults.now(),
    random: () => 0,
    report: (defect) => faults.report(defect),
    log: (_env, line) => faults.log(line()),
    committed: (commits, state) => {
      stage.committed(commits);
      faults.committed(commits, state);
    },
  },
);

export class Session extends harness.Session {}
export class Inbox extends harness.Inbox {}

// The Workers that docs/channels.md shows, each with sessions of its own.
export { Session as RecipientsSample } from "./samples/recipients.ts";
export { Session as SlackSample } from "./samples/slack.ts";
export { Session as TriggersSample } from "./samples/triggers.ts";
export { Session as WebhookSample } from "./samples/webhook.ts";

export default harness.worker;
