/**
 * Owns: what is there when a fuzzed request comes: sessions in every state, in two workspaces, and the words by which a
 * request means them (`{{waiting.turn}}`), so that a case reads the same whatever ids it meets.
 */

import { env } from "cloudflare:workers";
import type { Question } from "../../../src/core/question.ts";
import type { TurnView } from "../../../src/core/turn-view.ts";
import { answerUrl } from "../../../src/outbound/sign.ts";
import { call, play, stubOf } from "../client.ts";
import { accepted, ask, awaitTasks, FORM_CALL, post } from "../journey.ts";

export const OTHER = { authorization: "Bearer other" };
export const LINK_SECRET = (env as unknown as { readonly LINK_SECRET: string }).LINK_SECRET;

/** Stands in all that a workspace's sessions hold: no other workspace's caller may ever read it. */
export const MARKERS = { dev: "only for dev 4c1f", other: "only for other 9b7e" } as const;

type Refs = Readonly<Record<string, string>>;

interface Fixture {
  readonly refs: Refs;
  readonly sessionId: string;
  readonly workspace: keyof typeof MARKERS;
  /** Rows that its object had written when it was made. */
  readonly rows: number;
}

const QUESTION = {
  question: `May we? ${MARKERS.dev}`,
  options: [
    { id: "approve", label: "Approve" },
    { id: "deny", label: "Deny" },
  ],
  context: `Because of *this*: ${MARKERS.dev}`,
};

let made = 0;

/** Waits for a form, an approval and a client tool, all in one step. */
async function waiting(): Promise<readonly [TurnView, Refs]> {
  const calls = [
    { ...FORM_CALL, toolCallId: "c-form" },
    { toolName: "guarded", input: { what: MARKERS.dev }, toolCallId: "c-approve" },
    { toolName: "client_tool", input: { a: 1 }, toolCallId: "c-client" },
  ];
  const turn = await play([{ calls }, { text: "end" }], { agent: "staged" });
  const [form = "", approval = ""] = requestsOf(turn);
  const links = { formLink: await linkOf(form), approvalLink: await linkOf(approval) };
  return [turn, { form, approval, ...links }];
}

/** Waits for the tasks of two questions: a person's with options, and a tool's with a schema. */
async function asked(): Promise<readonly [TurnView, Refs]> {
  made += 1;
  const tool = {
    toolName: "ask_tool",
    input: { question: "How many?", answerSchema: { type: "integer", minimum: 0 }, key: "many" },
  };
  const script = [
    { calls: [ask(QUESTION), tool] },
    { calls: [awaitTasks(["$task:1", "$task:2"])] },
    { text: "end" },
  ];
  const session = `fuzzed-${made}`;
  const turn = await play(script, { session });
  const [person = "", value = ""] = requestsOf(turn);
  const page = await accepted<{ nextCursor: string }>(
    call("GET", `/v1/questions?sessionId=${turn.sessionId}&limit=1`),
  );
  const links = { personLink: await linkOf(person), valueLink: await linkOf(value) };
  const expired = await linkOf(person, "dev", new Date(1).toISOString());
  return [
    turn,
    { person, value, session, cursor: page.nextCursor, ...links, expiredLink: expired },
  ];
}

/** All over: a turn that was completed, one that failed, one that was cancelled, and a question that was answered. */
async function over(): Promise<readonly [TurnView, Refs]> {
  const done = await play([{ calls: [ask(QUESTION)] }, { text: MARKERS.dev }], {});
  const session = done.sessionId;
  const question = await accepted<{ items: Question[] }>(
    call("GET", `/v1/questions?sessionId=${session}`),
  );
  const answered = question.items[0]?.requestId ?? "";
  await accepted(
    post(`/v1/questions/${answered}/answer`, { answer: { option: "approve" }, answeredBy: "dana" }),
  );
  const failed = await play([{ fail: { status: 400 } }], { agent: "brief", session });
  const cancelled = await play([{ calls: [{ toolName: "client_tool" }] }], { session });
  await accepted(post(`/v1/turns/${cancelled.id}/cancel`));
  const refs = { failed: failed.id, cancelled: cancelled.id, answered };
  const runs = { failedRun: failed.runs[0]?.id ?? "", cancelledRun: cancelled.runs[0]?.id ?? "" };
  const page = await accepted<{ next_cursor: string }>(
    call("GET", `/api/v1/threads/${session.replace("sess_", "thread_")}/runs?limit=1`),
  );
  const links = { answeredLink: await linkOf(answered) };
  return [done, { ...refs, ...runs, ...links, runsCursor: page.next_cursor }];
}

/** Of another workspace, whose key is no use here. */
async function foreign(): Promise<readonly [TurnView, Refs]> {
  const script = [
    { calls: [ask({ question: `Yours? ${MARKERS.other}` })] },
    { calls: [awaitTasks(["$task:1"])] },
    { text: "end" },
  ];
  const body = { agent: "playground", input: MARKERS.other, extraBody: { script } };
  const turn = await accepted<TurnView>(
    call("POST", "/v1/turns", body, { ...OTHER, prefer: "wait=10" }),
  );
  const [question = ""] = requestsOf(turn);
  return [turn, { question, link: await linkOf(question, "other") }];
}

const MAKERS = { waiting, asked, over, foreign } as const;
type FixtureName = keyof typeof MAKERS;

/** Every word of the world; a test compares them with what is really made. */
export const REFS = [
  ...Object.keys(MAKERS).flatMap((name) =>
    ["turn", "run", "entry", "delivery", "thread", "id"].map((ref) => `${name}.${ref}`),
  ),
  ..."waiting.form waiting.approval waiting.formLink waiting.approvalLink".split(" "),
  ..."asked.person asked.value asked.session asked.cursor asked.personLink asked.valueLink".split(
    " ",
  ),
  ..."asked.expiredLink over.failed over.cancelled over.answered over.failedRun".split(" "),
  ..."over.cancelledRun over.answeredLink over.runsCursor foreign.question foreign.link".split(" "),
].map((ref) => `{{${ref}}}`);

/** What becomes of an id that somebody copies carelessly, or changes on purpose. */
export const TWISTS: Readonly<Record<string, (text: string) => string>> = {
  upper: (text) => text.toUpperCase(),
  longer: (text) => `${text}0`,
  shorter: (text) => text.slice(0, -3),
  escaped: (text) => `%${text.charCodeAt(0).toString(16)}${text.slice(1)}`,
  ended: (text) => `${text}%00`,
  spaced: (text) => ` ${text} `,
  dashed: (text) => text.replace("_", "-"),
  next: (text) =>
    text.replace(/[0-9a-f]$/, (digit) => ((Number.parseInt(digit, 16) + 1) % 16).toString(16)),
};

export class World {
  readonly #fixtures = new Map<FixtureName, Fixture>();

  /** Makes anew whatever an earlier request has changed: each case meets the same world. */
  async renew(): Promise<void> {
    for (const name of Object.keys(MAKERS) as FixtureName[]) {
      const fixture = this.#fixtures.get(name);
      if (fixture !== undefined && (await rowsOf(fixture)) === fixture.rows) continue;
      this.#fixtures.set(name, await makeFixture(name));
    }
  }

  /** The objects of its sessions. */
  get objects(): readonly string[] {
    return [...this.#fixtures.values()].map(
      ({ workspace, sessionId }) => `${workspace}/${sessionId.slice("sess_".length)}`,
    );
  }

  get refs(): ReadonlyMap<string, string> {
    const all = [...this.#fixtures].flatMap(([name, { refs }]) =>
      Object.entries(refs).map(([ref, value]) => [`{{${name}.${ref}}}`, value] as const),
    );
    return new Map(all);
  }

  /** The text with each word of the world in it replaced, and twisted where the word says so: `{{over.turn|upper}}`. */
  spell(text: string): string {
    if (!text.includes("{{")) return text;
    const { refs } = this;
    return text.replaceAll(/\{\{([\w.]+)(?:\|(\w+))?\}\}/g, (word, ref: string, twist = "") => {
      const value = refs.get(`{{${ref}}}`) ?? word;
      return TWISTS[twist]?.(value) ?? value;
    });
  }
}

async function makeFixture(name: FixtureName): Promise<Fixture> {
  const [turn, own] = await MAKERS[name]();
  const { id, sessionId, runs } = turn;
  const refs = {
    turn: id,
    run: runs.at(-1)?.id ?? "",
    entry: id.replace("turn_", "entry_"),
    // No delivery failed: the id of one that never was.
    delivery: id.replace("turn_", "delivery_"),
    thread: sessionId.replace("sess_", "thread_"),
    id: sessionId,
    ...own,
  };
  const workspace = name === "foreign" ? "other" : "dev";
  const fixture = { refs, sessionId, workspace, rows: 0 } as const;
  return { ...fixture, rows: await rowsOf(fixture) };
}

function rowsOf({
  sessionId,
  workspace,
}: Pick<Fixture, "sessionId" | "workspace">): Promise<number> {
  return stubOf(sessionId, workspace).rowsWritten();
}

function requestsOf(turn: TurnView): readonly string[] {
  const { approvals = [], calls = [] } = turn.pending ?? {};
  const waits = (turn.waitingFor ?? []).flatMap(({ requestId }) => requestId ?? []);
  return waits.length > 0
    ? waits
    : [...approvals, ...calls].flatMap((each) => each.requestId ?? []);
}

async function linkOf(requestId: string, workspace = "dev", expiresAt?: string): Promise<string> {
  const question = { requestId, ...(expiresAt !== undefined && { expiresAt }) };
  return (await answerUrl(LINK_SECRET, "", workspace, question)).slice("/a/".length);
}
