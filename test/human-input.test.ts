import { describe, expect, it } from "vitest";
import { tool } from "ai";
import { z } from "zod";
import { scriptModel } from "../src/agent/script-model.ts";
import type { Channel } from "../src/core/channel.ts";
import { agentsByEnvironment, type AgentOptions } from "../src/options.ts";

type HumanInput = NonNullable<AgentOptions["humanInput"]>;

const CHANNEL: Channel = {
  name: "pager",
  events: ["question.asked"],
  send: () => Promise.resolve(undefined),
};
const pay = tool({ inputSchema: z.object({}), execute: () => ({}) });

/** What an agent's questions go by, from the option as an author writes it. */
function reachOf(humanInput: HumanInput, more: Partial<AgentOptions> = {}) {
  const agents = agentsByEnvironment({ model: scriptModel, system: "x", humanInput, ...more })({});
  return agents.get("default")?.humanInput?.reach;
}

describe("recipients", () => {
  it("are names alone, or addresses by name, or groups of names", () => {
    expect([...(reachOf({ recipients: ["dana", "kim"] })?.directory ?? [])]).toEqual([
      ["dana", [{ name: "dana" }]],
      ["kim", [{ name: "kim" }]],
    ]);
    const recipients = {
      team: ["dana", "kim"],
      dana: { email: "dana@lender.example" },
      kim: { slack: "U1", webhook: "https://kim.example/hook" },
    };
    expect(reachOf({ recipients })?.directory.get("team")).toEqual([
      { name: "dana", email: "dana@lender.example" },
      { name: "kim", slack: "U1", webhook: "https://kim.example/hook" },
    ]);
  });

  it("may be called whatever a name can be", () => {
    const recipients = JSON.parse('{ "__proto__": {}, "constructor": {} }') as object;
    const reach = reachOf({ recipients: recipients as Record<string, object> });
    expect([...(reach?.directory.keys() ?? [])]).toEqual(["__proto__", "constructor"]);
  });

  it.each([
    [{ recipients: ["dana", "dana"] }, "humanInput.recipients[1]: must be a name of its own"],
    [{ recipients: [" dana"] }, "humanInput.recipients[0]: must be a name of its own"],
    [{ recipients: { "": {} } }, 'humanInput.recipients[""]: must be a name of its own'],
    [{ recipients: { dana: { mail: "x" } } }, 'humanInput.recipients.dana: "mail" is not a known'],
    [
      { recipients: { dana: { email: "x" } } },
      "humanInput.recipients.dana.email: must be an email",
    ],
    [
      { recipients: { dana: { webhook: "x" } } },
      "humanInput.recipients.dana.webhook: must be a URL",
    ],
    [{ recipients: { dana: "dana@x.example" } }, "humanInput.recipients.dana: must be an object"],
    [{ recipients: { team: ["dana"] } }, "humanInput.recipients.team[0]: must be the name of one"],
    [{ recipients: { team: [] } }, "humanInput.recipients.team: must be a list of 1 to 16"],
    [
      { recipients: { a: {}, b: ["a"], c: ["b"] } },
      "humanInput.recipients.c[0]: must be the name of one recipient",
    ],
    [{ recipients: { a: {}, b: ["a", "a"] } }, "humanInput.recipients.b[1]: must be named once"],
    [{ recipients: "dana" }, "humanInput.recipients: must be names, or addresses by name"],
  ])("are refused by the name of the option: %j", (humanInput, message) => {
    expect(() => reachOf(humanInput as never)).toThrow(message);
  });
});

describe("channels", () => {
  it("stay the author's own objects, and the author's own delivery is the last of them", () => {
    const reach = reachOf({ channels: [CHANNEL], deliver: () => undefined });
    expect(reach?.channels[0]).toBe(CHANNEL);
    expect(reach?.channels[1]).toMatchObject({
      name: "deliver",
      events: ["question.asked", "question.reminded", "question.escalated", "question.assigned"],
    });
  });

  it.each([
    [
      { channels: [{ ...CHANNEL, name: "deliver" }] },
      "humanInput.channels[0].name: must be none of",
    ],
    [
      { channels: [{ ...CHANNEL, name: "callback" }] },
      "humanInput.channels[0].name: must be none of",
    ],
    [
      { channels: [{ ...CHANNEL, name: "E-Mail" }] },
      "humanInput.channels[0].name: must be 1 to 32",
    ],
    [{ channels: [CHANNEL, CHANNEL] }, "humanInput.channels: must each have a name of its own"],
    [{ channels: [{ name: "a", events: [] }] }, "humanInput.channels[0].send: must be a function"],
    [{ channels: [{ ...CHANNEL, events: ["asked"] }] }, "humanInput.channels[0].events[0]:"],
    [{ channels: CHANNEL }, "humanInput.channels: must be a list of 0 to 15"],
    [{ channel: [] }, 'humanInput: "channel" is not a known field'],
  ])("are refused by the name of the option: %#", (humanInput, message) => {
    expect(() => reachOf(humanInput as never)).toThrow(message);
  });
});

describe("terms", () => {
  it("are checked with the rest, each agent's under its own name", () => {
    const agents = { a: { model: scriptModel, system: "x", humanInput: { remind: ["4"] } } };
    expect(() => agentsByEnvironment({ agents })({})).toThrow(
      "createHarness: agents.a.humanInput.remind[0]: must be a whole number with its unit",
    );
  });

  it("escalate to recipients that are there", () => {
    const escalate = [{ after: "1h", to: "lead" }];
    expect(reachOf({ escalate })?.terms.escalate).toEqual([{ after: 3_600_000, to: "lead" }]);
    expect(() => reachOf({ escalate, recipients: ["dana"] })).toThrow(
      "createHarness: humanInput.escalate[0].to: must be one of dana",
    );
  });

  it("deny only where an approval can be asked for", () => {
    const humanInput: HumanInput = { expire: { after: "1h", then: "deny" } };
    const tools = { pay };
    for (const approvals of [{}, { pay: "never" as const }])
      expect(() => reachOf(humanInput, { tools, approvals })).toThrow(
        "createHarness: humanInput.expire.then: denies approvals",
      );
    const reach = reachOf(humanInput, { tools, approvals: { pay: "always" } });
    expect(reach?.terms.expire?.ending).toBe("deny");
  });
});
