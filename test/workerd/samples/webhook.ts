import { createHarness, defineAgent, resolveModel, webhook } from "../../../src/holdpoint.ts";

const harness = createHarness({
  agents: (env) => ({
    loans: defineAgent({
      model: resolveModel(String(env["MODEL"] ?? "demo"), env),
      system: "You pre-approve loans. When the policy does not cover a case, ask the underwriter.",
      humanInput: {
        channels: [webhook({ url: "https://desk.example.com/holdpoint" })],
        recipients: { underwriter: { webhook: "https://underwriting.example.com/holdpoint" } },
      },
    }),
  }),
});

export class Session extends harness.Session {}
export class Inbox extends harness.Inbox {}
export default harness.worker;
