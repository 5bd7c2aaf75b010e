import { expect, it } from "vitest";
import page from "../../../docs/service.md?raw";
import { poll, sendText } from "./client.ts";

/** What the page leaves out of an object. */
const LEFT_OUT = "…";
const ID = /\b(?:thread|sess|entry|run|req)_[0-9a-f]{24,32}\b/g;
const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly status: number;
  readonly answer: string;
}

/** The page's `http` blocks: a request, and the answer to it. */
function exchangesOf(markdown: string): readonly Exchange[] {
  const blocks = Array.from(markdown.matchAll(/^```http\n(.*?)^```$/gms), ([, text = ""]) => text);
  return Array.from({ length: Math.ceil(blocks.length / 2) }, (_, n) => {
    const [head = "", ...body] = (blocks[2 * n] ?? "").split("\n\n");
    const [answerHead = "", ...answer] = (blocks[2 * n + 1] ?? "").split("\n\n");
    const [, method = "", path = ""] = /^(GET|POST) (\S+)/.exec(head) ?? [];
    const headers = head
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => line.split(": "));
    return {
      method,
      path,
      headers: Object.fromEntries(headers) as Record<string, string>,
      body: body.length === 0 ? undefined : body.join("\n\n"),
      status: Number(/^HTTP\/1\.1 (\d{3})/.exec(answerHead)?.[1]),
      answer: answer.join("\n\n"),
    };
  });
}

/** The page's ids and those of this run, each numbered in the order in which they came up. */
class Names {
  readonly #printed: string[] = [];
  readonly #real: string[] = [];

  /** A request of the page, with the ids that this run gave. */
  inRequest(text: string): string {
    return text.replaceAll(ID, (id) => this.#real[this.#printed.indexOf(id)] ?? id);
  }

  masked(printed: string): unknown {
    return masked(printed, this.#printed);
  }

  /** The real answer without what the page leaves out. */
  maskedReal(real: unknown, printed: unknown): unknown {
    return masked(JSON.stringify(shown(real, printed)), this.#real);
  }
}

function masked(text: string, names: string[]): unknown {
  const numbered = text.replaceAll(TIME, "<time>").replaceAll(ID, (id) => {
    if (!names.includes(id)) names.push(id);
    return `<${id.split("_")[0]} ${names.indexOf(id)}>`;
  });
  return JSON.parse(numbered);
}

/** The part of a real answer that the page shows: all of it, but in objects from which it leaves something out. */
function shown(real: unknown, printed: unknown): unknown {
  if (Array.isArray(real) && Array.isArray(printed))
    return real.map((item: unknown, n) => shown(item, printed[n]));
  if (!isObject(real) || !isObject(printed)) return real;
  if (!(LEFT_OUT in printed))
    return Object.fromEntries(
      Object.entries(real).map(([name, value]) => [name, shown(value, printed[name])]),
    );
  const members = Object.entries(printed).map(([name, value]) => [
    name,
    name === LEFT_OUT ? LEFT_OUT : shown(real[name], value),
  ]);
  return Object.fromEntries(members);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const exchanges = exchangesOf(page);

it("finds the page's requests and their answers", () => {
  expect(exchanges.length).toBeGreaterThan(9);
  for (const { method, path, status, answer } of exchanges) {
    expect(method, path).not.toBe("");
    expect(path).toMatch(/^\/api\/v1\//);
    expect(status, path).toBeGreaterThanOrEqual(200);
    expect(answer, path).not.toBe("");
  }
});

it("answers each request of the page as the page says, in the order of the page", async () => {
  const names = new Names();
  for (const { method, path, headers, body, status, answer } of exchanges) {
    const expected = names.masked(answer);
    const printed: unknown = JSON.parse(answer);
    const send = () =>
      sendText(
        method,
        names.inRequest(path),
        body === undefined ? undefined : names.inRequest(body),
        headers,
      );
    // A client polls what it reads; what it does is done once.
    const wanted = isObject(printed) ? printed["status"] : undefined;
    const real =
      method === "GET" && wanted !== undefined
        ? await poll(send, (got) => isObject(got.body) && got.body["status"] === wanted)
        : await send();
    expect(real.status, `${method} ${path}`).toBe(status);
    const got = names.maskedReal(real.body, printed);
    expect(got, `${method} ${path}`).toEqual(expected);
    expect(JSON.stringify(got), `${method} ${path}: the order of members`).toBe(
      JSON.stringify(expected),
    );
  }
});

const ROUTES = [
  "POST /api/v1/threads",
  "GET /api/v1/threads/{id}",
  "GET /api/v1/threads/{id}/runs?limit=&cursor=",
  "POST /api/v1/threads/{id}/inbox",
  "GET /api/v1/threads/{id}/inbox/{entry}",
  "GET /api/v1/runs/{id}",
  "POST /api/v1/runs/{id}/resume",
  "POST /api/v1/runs/{id}/interrupt",
];
const WORDS =
  "invalid_argument invalid_cursor unauthenticated forbidden not_found conflict payload_too_large internal unavailable " +
  "not_idle_waiting_head wait_not_client_owned idempotency_key_reused session_full run_waiting run_completed run_failed " +
  "run_cancelled";

it("names every route, every code of an error and every reason for a conflict", () => {
  for (const word of [...ROUTES, ...WORDS.split(" ")]) expect(page).toContain(`\`${word}\``);
});
