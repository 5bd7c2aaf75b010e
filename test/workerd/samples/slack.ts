import { createHarness, defineAgent, resolveModel, slack } from "../../../src/holdpoint.ts";

const channels = [slack({ channel: "C0123456789" })];
const recipients = {
  underwriter: { slack: "U02ABCDEF" },
  lead: { slack: "U03GHIJKL" },
};

export const harness = createHarness({
  agents: (env) => ({
    loans: defineAgent({
      model: resolveModel("demo", env),
      system: "You pre-approve loans. Where the policy does not cover a case, ask the underwriter.",
      humanInput: { channels, recipients },
    }),
  }),
});
export class Session extends harness.Session {}
export class Inbox extends harness.Inbox {}
export default harness.worker;
