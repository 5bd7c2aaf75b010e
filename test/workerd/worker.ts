import { tool } from "ai";
import { z } from "zod";
import { scriptModel } from "../../src/agent/script-model.ts";
import { harnessToolContext } from "../../src/agent/tool-context.ts";
import { createHarness, defineAgent } from "../../src/harness.ts";
import { playground } from "../../src/playground.ts";
import { faults } from "./faults.ts";
import { ledger } from "./ledger.ts";

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

const harness = createHarness(
  {
    agents: {
      playground: playground(),
      /** Effects that are idempotent by their key, so a crash may run them again but never do them twice. */
      retrying: defineAgent({
        model: scriptModel,
        system: "You play a script.",
        tools: { charge: recorded("Charge."), notify: recorded("Notify."), refund: recorded("Refund.") },
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
    },
  },
  {
    now: () => faults.now(),
    random: () => 0,
    report: () => undefined,
    committed: (commits, state) => faults.committed(commits, state),
  },
);

export class Session extends harness.Session {}

export default harness.worker;
