import { createHarness, defineAgent, resolveModel, webhook } from "../../../src/holdpoint.ts";

const harness = createHarness({
  agents: (env) => ({
    loans: defineAgent({
      model: resolveModel(String(env["MODEL"] ?? "demo"), env),
      system: "You pre-approve loans. When the policy does not cover a case, ask the underwriters.",
      humanInput: {
        channels: [webhook({ url: "https://desk.example.com/holdpoint" })],
        recipients: {
          dana: { email: "dana@lender.example", webhook: "https://dana.example.com/holdpoint" },
          kim: { email: "kim@lender.example", slack: "U02ABCDEF" },
          lead: { email: "lead@lender.example" },
          underwriters: ["dana", "kim"],
        },
      },
    }),
  }),
});

export class Session extends harness.Session {}
export class Inbox extends harness.Inbox {}
export default harness.worker;
