import { expect, it } from "vitest";
import type { TriggerOptions } from "../src/inbound/trigger.ts";
import { githubSignature } from "../src/inbound/webhook-signatures.ts";
import { checkedTriggers } from "../src/triggers.ts";

const VERIFY = githubSignature("GITHUB_SECRET");
const input = () => "go";

it("puts a trigger that names no workspace into the default one", () => {
  const triggers = checkedTriggers(
    { plain: { verify: VERIFY, input }, own: { verify: VERIFY, input, workspace: "acme" } },
    ["default"],
  );
  expect([...triggers].map(([name, { workspace }]) => [name, workspace])).toEqual([
    ["plain", "default"],
    ["own", "acme"],
  ]);
});

it.for<[string, object]>([
  ["triggers.github.verify: must be standardWebhooks(", { verify: undefined }],
  ["triggers.github.verify: must be standardWebhooks(", { verify: "GITHUB_SECRET" }],
  ["triggers.github.verify: must be standardWebhooks(", { verify: { secretName: "X" } }],
  ["triggers.github.workspace: must be 1 to 32 of a-z, 0-9 and -", { workspace: "Acme Inc" }],
  ["triggers.github.session: must be a function", { session: "pull-request" }],
  ["triggers.github.input: must be a function", { input: undefined }],
  ["triggers.github.agent: must be one of loans, support", { agent: "lones" }],
  ['triggers.github: "whenBusy" is not a known field: leave it out', { whenBusy: "reject" }],
])("says %s", ([message, options]) => {
  const github = { verify: VERIFY, input, agent: "loans", ...options } as TriggerOptions;
  expect(() => checkedTriggers({ github }, ["loans", "support"])).toThrow(
    `createHarness: ${message}`,
  );
});

it("says what a trigger may be called", () => {
  for (const name of ["", "a/b", "a b", "ü", "x".repeat(65)])
    expect(() => checkedTriggers({ [name]: { verify: VERIFY, input } }, undefined), name).toThrow(
      "createHarness: triggers: a name must be 1 to 64 of A-Z a-z 0-9 _ -",
    );
});

it("leaves an agent alone that depends on the environment", () => {
  const github = { verify: VERIFY, input, agent: "anyone" };
  expect(checkedTriggers({ github }, undefined).get("github")?.agent).toBe("anyone");
});

it("takes a verifier of one's own", () => {
  const verify = {
    secretName: "OWN_SECRET",
    check: () => Promise.resolve(undefined),
    eventId: () => "1",
  };
  expect(checkedTriggers({ own: { verify, input } }, undefined).get("own")?.verify).toBe(verify);
});
