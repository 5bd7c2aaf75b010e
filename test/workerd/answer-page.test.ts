import { exports } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it } from "vitest";
import { createHarness } from "../../src/harness.ts";
import type { HarnessOptions } from "../../src/options.ts";
import { scriptModel } from "../../src/agent/script-model.ts";
import type { Question } from "../../src/core/question.ts";
import { call, play, settled, stubOf } from "./client.ts";
import { answering, ask, awaitTasks, lastResult, onlyRequest, readQuestion } from "./journey.ts";
import { ledger } from "./ledger.ts";

afterEach(() => ledger.clear());

const OPTIONS = [
  { id: "approve", label: "Approve" },
  { id: "deny", label: "Deny" },
];

/** Who fetches links that nobody has clicked: mail scanners, chat previews, browsers that look ahead. */
const VISITORS: readonly Record<string, string>[] = [
  { "user-agent": "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)" },
  { "user-agent": "facebookexternalhit/1.1", purpose: "preview" },
  { "user-agent": "Mozilla/5.0 (compatible; Outlook-SafeLinks)" },
  { "user-agent": "Barracuda Sentinel (EE)", referer: "https://mail.example.com/" },
  { "user-agent": "Mozilla/5.0 Chrome/140", "sec-purpose": "prefetch;prerender" },
  { "user-agent": "Mozilla/5.0 Firefox/140", "x-moz": "prefetch" },
  { "user-agent": "Mozilla/5.0", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" },
];

async function parkOnQuestion(
  session: string,
): Promise<{ turnId: string; sessionId: string; requestId: string; path: string }> {
  const turn = await play(
    [
      { calls: [ask({ question: "Go on?", options: OPTIONS })] },
      { calls: [awaitTasks(["$task:1"])] },
      { text: "end" },
    ],
    { session },
  );
  const requestId = onlyRequest(turn);
  return { turnId: turn.id, sessionId: turn.sessionId, requestId, path: await pathOf(requestId) };
}

async function pathOf(requestId: string): Promise<string> {
  return new URL((await readQuestion(requestId)).answerUrl ?? "").pathname;
}

function visit(path: string, init: RequestInit = {}): Promise<Response> {
  return exports.default.fetch(new Request(`https://holdpoint.test${path}`, init));
}

async function send(
  path: string,
  fields: Record<string, string> | URLSearchParams,
): Promise<Response> {
  const html = await (await visit(path)).text();
  const nonce = /name="nonce" value="([^"]*)"/.exec(html)?.[1] ?? "";
  const body = new URLSearchParams(fields);
  body.set("nonce", nonce);
  return visit(path, { method: "POST", body });
}

/** Everything that a session keeps: each row of each table, and its alarm. */
function stateOf(sessionId: string): Promise<string> {
  return runInDurableObject(stubOf(sessionId), async (_, { storage }) => {
    const names = storage.sql
      .exec<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\' ORDER BY name",
      )
      .toArray();
    const tables = names.map(({ name }) => [
      name,
      storage.sql.exec(`SELECT * FROM "${name}"`).toArray(),
    ]);
    return JSON.stringify([tables, await storage.getAlarm()]);
  });
}

describe("a link to a question", () => {
  it("changes nothing and answers nothing, whoever fetches it, however often", async () => {
    const { sessionId, requestId, path } = await parkOnQuestion("page-scanned");
    const before = await stateOf(sessionId);
    expect(before).toContain("Go on?");
    const rows = await stubOf(sessionId).rowsWritten();
    for (const headers of VISITORS)
      for (const query of ["", "?option=approve", "?option=approve&action=answer&text=x"])
        for (const method of ["GET", "HEAD"]) {
          const response = await visit(path + query, { method, headers });
          expect([headers, response.status]).toEqual([headers, 200]);
          await response.text();
        }
    for (const method of ["OPTIONS", "PUT", "DELETE", "PATCH"])
      expect((await visit(`${path}?option=approve`, { method })).status).toBe(405);
    expect(await stubOf(sessionId).rowsWritten()).toBe(rows);
    expect(await stateOf(sessionId)).toBe(before);
    expect((await readQuestion(requestId)).status).toBe("waiting");
  });

  it("answers nothing by a POST without the nonce of its own page", async () => {
    const [one, other] = [
      await parkOnQuestion("page-with-nonce"),
      await parkOnQuestion("page-other-nonce"),
    ];
    const html = await (await visit(other.path)).text();
    const nonce = /name="nonce" value="([^"]*)"/.exec(html)?.[1] ?? "";
    const before = await stateOf(one.sessionId);
    for (const fields of [{}, { nonce: "" }, { nonce }]) {
      const body = new URLSearchParams({ option: "approve", ...fields });
      expect((await visit(one.path, { method: "POST", body })).status).toBe(403);
    }
    expect(await stateOf(one.sessionId)).toBe(before);
  });

  it("answers by its form, wakes the turn, and says from then on how it ended", async () => {
    const { turnId, sessionId, requestId, path } = await parkOnQuestion("page-answered-by-page");
    expect((await send(path, { option: "approve", text: "Fine." })).status).toBe(200);
    expect((await settled(turnId)).status).toBe("completed");
    expect(await lastResult(sessionId)).toMatchObject({ toolName: "await_tasks" });
    expect(await readQuestion(requestId)).toMatchObject({
      answer: { option: "approve", text: "Fine." },
      answeredBy: "link",
      answeredVia: "page",
    });
    const later = await visit(path);
    expect(later.status).toBe(200);
    expect(await later.text()).toContain('data-status="answered"');
  });

  it("answers nothing by two options where one may be chosen", async () => {
    const { requestId, path } = await parkOnQuestion("page-two-options");
    const fields = new URLSearchParams("option=deny&option=approve");
    expect((await send(path, fields)).status).toBe(422);
    expect((await readQuestion(requestId)).status).toBe("waiting");
  });

  it("tells the one who was slower how it ended, and keeps the first answer", async () => {
    const { requestId, path } = await parkOnQuestion("page-slower");
    const html = await (await visit(path)).text();
    await answering(requestId, { option: "deny" });
    const nonce = /name="nonce" value="([^"]*)"/.exec(html)?.[1] ?? "";
    const body = new URLSearchParams({ nonce, option: "approve" });
    const response = await visit(path, { method: "POST", body });
    expect(response.status).toBe(409);
    expect(await response.text()).toContain("<bdi>dana</bdi>");
    expect((await readQuestion(requestId)).answer).toEqual({ option: "deny" });
  });

  it("speaks the reader's language, with its months", async () => {
    const { path } = await parkOnQuestion("page-in-german");
    const response = await visit(path, { headers: { "accept-language": "de" } });
    const html = await response.text();
    expect(html).toContain('<html lang="de">');
    expect(html).toMatch(/Gefragt am <time [^>]*>\d{1,2}\. [A-ZÄa-zä]+ \d{4} um \d\d:\d\d UTC</);
  });
});

describe("the page of a value", () => {
  async function pathOfValue(answerSchema: object): Promise<{ requestId: string; path: string }> {
    const response = await call("POST", "/v1/questions", { question: "Which?", answerSchema });
    const { requestId } = await response.json<Question>();
    return { requestId, path: await pathOf(requestId) };
  }

  it("records a large number as it stood there, and never another than was typed", async () => {
    const schema = { type: "integer", default: 1_234_567_890_123_456_800 };
    const { requestId, path } = await pathOfValue(schema);
    const html = await (await visit(path)).text();
    const shown = /type="number" value="([^"]*)"/.exec(html)?.[1] ?? "";
    for (const value of ["1234567890123456789", "9007199254740993e0", "9007199254740993.0"])
      expect([value, (await send(path, { value })).status]).toEqual([value, 422]);
    expect((await send(path, { value: shown })).status).toBe(200);
    expect((await readQuestion(requestId)).answer).toEqual({ value: schema.default });
  });

  it("records a null that was chosen", async () => {
    for (const answerSchema of [{ const: null }, { enum: [null] }]) {
      const { requestId, path } = await pathOfValue(answerSchema);
      expect((await send(path, {})).status).toBe(422);
      expect((await send(path, { value: "0" })).status).toBe(200);
      expect((await readQuestion(requestId)).answer).toEqual({ value: null });
    }
    const properties = { a: { enum: ["x", null] } };
    const { requestId, path } = await pathOfValue({ type: "object", properties });
    expect((await send(path, { value_0: "1" })).status).toBe(200);
    expect((await readQuestion(requestId)).answer).toEqual({ value: { a: null } });
  });
});

describe("an approval's page", () => {
  const refund = { toolName: "refund", input: { what: "pay 5" }, toolCallId: "refund-1" };

  it("says that arguments may be changed, and runs the call with those that were", async () => {
    const turn = await play([{ calls: [refund] }, { text: "end" }], { agent: "retrying" });
    const requestId = onlyRequest(turn);
    expect(await readQuestion(requestId)).toMatchObject({ kind: "approval", editable: true });
    const path = await pathOf(requestId);
    expect((await send(path, { action: "approve", input_0: "pay 4\n" })).status).toBe(200);
    await settled(turn.id);
    expect(ledger.effects).toEqual(["pay 4\n"]);
  });
});

describe("createHarness", () => {
  const agent = { model: scriptModel, system: "You play a script." };

  it("takes a language and a brand beside one agent or several", () => {
    const look = { lang: "de", brand: { name: "Acme", colour: "#e4002b" } } as const;
    expect(createHarness({ ...agent, ...look })).toHaveProperty("worker");
    expect(createHarness({ agents: { one: agent }, ...look })).toHaveProperty("worker");
  });

  it("names what is wrong with them", () => {
    const refusing = (options: object) => () =>
      createHarness({ ...agent, ...options } as HarnessOptions);
    expect(refusing({ lang: "fr" })).toThrow("createHarness: lang: must be one of en, de");
    expect(refusing({ brand: { name: "A", colour: "red" } })).toThrow(
      "createHarness: brand.colour: must be a colour such as #0b5f49",
    );
    expect(refusing({ brand: { name: "A", logo: "http://x.example/logo.png" } })).toThrow(
      "createHarness: brand.logo: must be an https:// address of an image",
    );
    expect(refusing({ brand: {} })).toThrow("createHarness: brand.name: is missing");
  });
});
