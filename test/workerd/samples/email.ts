import { createHarness, defineAgent, email, resolveModel } from "../../../src/holdpoint.ts";

const channels = [
  email({ from: "Loan desk <desk@mail.example.com>", to: "underwriters@example.com" }),
];
const recipients = {
  underwriter: { email: "dana@example.com" },
  lead: { email: "lee@example.com" },
};

export const harness = createHarness({
  agents: (env) => ({
    loans: defineAgent({
      model: resolveModel("demo", env),
      system: "You pre-approve loans. Where the policy does not cover a case, ask the underwriter.",
      humanInput: { channels, recipients },
    }),
  }),
  mail: { agents: { "loans@mail.example.com": { agent: "loans", workspace: "acme" } } },
});
export class Session extends harness.Session {}
export class Inbox extends harness.Inbox {}
export default harness.worker; // { fetch, email }
