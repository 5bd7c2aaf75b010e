import { describe, expect, it } from "vitest";
import type { Agent } from "../src/agent/agent.ts";
import { type Config, readConfig } from "../src/env.ts";
import { mailByEnvironment, mailDoorOf, type MailOption } from "../src/mail-options.ts";
import { agentsByEnvironment } from "../src/options.ts";
import { email } from "../src/outbound/email.ts";

const model = () => {
  throw new Error("no model is called here");
};
const agentsOf = agentsByEnvironment({
  agents: {
    loans: {
      model,
      system: "s",
      humanInput: {
        channels: [email({ from: "desk@mail.example", to: "Team <team@lender.example>" })],
        recipients: { underwriter: { email: "dana@lender.example" }, lead: { slack: "U1" } },
      },
    },
    support: { model, system: "s", humanInput: { recipients: ["anybody"] } },
  },
});

function doorOf(option: MailOption | undefined) {
  const agents = (): ReadonlyMap<string, Agent> => agentsOf({});
  return mailDoorOf(
    mailByEnvironment(option, agents),
    agents,
    () => ["acme", "dev"],
    () => "loans",
  );
}

describe("the option mail", () => {
  it("names an agent by its address, in any case, and a workspace, or the default one", () => {
    const { mailbox } = doorOf({
      agents: {
        "Loans@Mail.example": { agent: "loans" },
        "a@b.example": { agent: "support", workspace: "acme" },
      },
    });
    expect(mailbox({}, "loans@mail.example")).toEqual({ agent: "loans", workspace: "default" });
    expect(mailbox({}, "a@b.example")).toEqual({ agent: "support", workspace: "acme" });
    expect(mailbox({}, "c@b.example")).toBeUndefined();
  });

  it("takes answers in the workspaces of the keys, of agents' addresses, and in those that it names", () => {
    const { workspaces } = doorOf({
      agents: { "a@b.example": { agent: "loans", workspace: "mail" } },
      workspaces: ["hooks", "dev"],
    });
    expect(workspaces({})).toEqual(["default", "acme", "dev", "mail", "hooks"]);
    expect(doorOf(undefined).workspaces({})).toEqual(["default", "acme", "dev"]);
  });

  it("may depend on the environment, and is made of each once", () => {
    const seen: unknown[] = [];
    const { mailbox } = doorOf((env) => {
      seen.push(env);
      return { agents: { "a@b.example": { agent: String(env["AGENT"]) } } };
    });
    const env = { AGENT: "support" };
    expect(mailbox(env, "a@b.example")).toMatchObject({ agent: "support" });
    expect(mailbox(env, "a@b.example")).toMatchObject({ agent: "support" });
    expect(seen).toEqual([env]);
  });

  it.each([
    [{ agents: { loans: { agent: "loans" } } }, "mail.agents.loans: must be name@domain"],
    [
      { agents: { "a@b.example": { agent: "loans", workspace: "A B" } } },
      "workspace: must be 1 to 32",
    ],
    [
      { agents: { "a@b.example": { agent: "loan" } } },
      'mail.agents["a@b.example"].agent: must be one of loans, support',
    ],
    [{ address: "a@b.example" }, 'mail: "address" is not a known field'],
  ])("refuses %j", (option, words) => {
    expect(() => doorOf(option as MailOption).mailbox({}, "x@y.example")).toThrow(words);
  });

  it("knows by which address each agent's questions reach whom", () => {
    const { recipients } = doorOf(undefined);
    expect([...recipients({}, undefined)]).toEqual([
      ["", "team@lender.example"],
      ["underwriter", "dana@lender.example"],
    ]);
    expect([...recipients({}, "support")]).toEqual([]);
    expect([...recipients({}, "gone")]).toEqual([]);
  });
});

describe("the variables for mail", () => {
  it("are all optional", () => {
    expect(readConfig({})).toEqual({
      keys: [],
      issuers: [],
      corsOrigins: [],
      workspaces: new Map(),
      development: false,
      inboxShards: 1,
      mailAgents: {},
    });
  });

  it("are read", () => {
    const config: Partial<Config> = {
      mailAuthservId: "mx.cloudflare.net",
      mailFrom: "Desk <desk@mail.example>",
      mailAgents: { "loans@mail.example": { agent: "loan-desk" } },
    };
    expect(
      readConfig({
        MAIL_AUTHSERV_ID: "mx.cloudflare.net",
        MAIL_FROM: "Desk <desk@mail.example>",
        MAIL_AGENTS: '{"loans@mail.example":{"agent":"loan-desk"}}',
      }),
    ).toMatchObject(config);
  });

  it.each([
    [
      { MAIL_AUTHSERV_ID: "mx.cloudflare.net; dmarc=pass" },
      "MAIL_AUTHSERV_ID: must be the name of one server",
    ],
    [{ MAIL_FROM: "desk" }, "MAIL_FROM: must be name@domain"],
    [{ MAIL_FROM: "Desk\nBcc: x@y.example <desk@mail.example>" }, "MAIL_FROM: must be name@domain"],
    [
      { MAIL_FROM: `${"d".repeat(21)}@mail.example` },
      "MAIL_REPLY_TO: must be set to an address with at most 20",
    ],
    [{ MAIL_AGENTS: "loans" }, "MAIL_AGENTS: must be JSON"],
    [{ MAIL_AGENTS: '{"loans":{"agent":"a"}}' }, "MAIL_AGENTS.loans: must be name@domain"],
  ])("are refused, by name and with what to set, in %j", (env, words) => {
    expect(() => readConfig(env)).toThrow(words);
  });
});
