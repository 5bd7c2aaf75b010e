import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import type { HoldpointEnv } from "../../src/env.ts";
import type { Question } from "../../src/core/question.ts";
import type { TurnView } from "../../src/core/turn-view.ts";
import { call, stubOf } from "./client.ts";
import { requestUnder } from "./configured.ts";
import { accepted, ask, awaitTasks, onlyRequest } from "./journey.ts";

const { SESSION } = env as unknown as HoldpointEnv;
const ASKING = {
  agent: "playground",
  input: "go",
  extraBody: {
    script: [{ calls: [ask()] }, { calls: [awaitTasks(["$task:1"])] }, { text: "end" }],
  },
};
const headers = { authorization: "Bearer dev-key", prefer: "wait=10" };

/** The platform's namespace, with jurisdictions, which it does not have here, as notes of who was looked for in them. */
function placed(): {
  readonly namespace: unknown;
  readonly inEurope: string[];
  readonly outside: string[];
} {
  const inEurope: string[] = [];
  const outside: string[] = [];
  const noting = (names: string[]) => ({
    getByName: (name: string) => {
      names.push(name);
      return SESSION.getByName(name);
    },
  });
  const namespace = {
    ...noting(outside),
    jurisdiction: (name: string) => {
      expect(name).toBe("eu");
      return noting(inEurope);
    },
  };
  return { namespace, inEurope, outside };
}

it("finds a placed workspace's sessions by every door: key, link and id", async () => {
  const { namespace, inEurope, outside } = placed();
  const variables = { SESSION: namespace, WORKSPACES: '{"dev":{"jurisdiction":"eu"}}' };
  const turn = await accepted<TurnView>(
    requestUnder(variables, "POST", "/v1/turns", { body: ASKING, headers }),
  );
  const path = `/v1/questions/${onlyRequest(turn)}`;
  const { answerUrl = "" } = await accepted<Question>(
    requestUnder(variables, "GET", path, { headers }),
  );
  const page = await requestUnder(variables, "GET", new URL(answerUrl).pathname);
  expect(page.status).toBe(200);
  const thread = turn.sessionId.replace("sess_", "thread_");
  await accepted(requestUnder(variables, "GET", `/api/v1/threads/${thread}`, { headers }));
  expect(new Set(inEurope)).toEqual(new Set([`dev/${turn.sessionId.slice("sess_".length)}`]));
  expect(inEurope.length).toBeGreaterThanOrEqual(4);
  expect(outside).toEqual([]);
});

it("leaves another workspace where it is", async () => {
  const { namespace, inEurope, outside } = placed();
  const variables = { SESSION: namespace, WORKSPACES: '{"other":{"jurisdiction":"eu"}}' };
  await requestUnder(variables, "GET", "/v1/sessions/unplaced", { headers });
  expect(inEurope).toEqual([]);
  expect(outside).toHaveLength(1);
});

it("makes an object under a hint as it does without one", async () => {
  const variables = { WORKSPACES: '{"dev":{"locationHint":"weur"}}' };
  const turn = await accepted<TurnView>(
    requestUnder(variables, "POST", "/v1/turns", { body: ASKING, headers }),
  );
  expect(await accepted(call("GET", `/v1/turns/${turn.id}`))).toEqual(turn);
  await runInDurableObject(stubOf(turn.sessionId), (_object, state) => {
    expect(state.id.name).toBe(`dev/${turn.sessionId.slice("sess_".length)}`);
  });
});

it("has no jurisdictions on a developer's machine, where the runtime has none", async () => {
  const variables = { DEVELOPMENT: "1", WORKSPACES: '{"dev":{"jurisdiction":"eu"}}' };
  await accepted(requestUnder(variables, "POST", "/v1/turns", { body: ASKING, headers }));
  expect(() => SESSION.jurisdiction("eu")).toThrow(/not implemented/i);
});
