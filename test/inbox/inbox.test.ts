import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import type { Question } from "../../src/core/question.ts";
import { STATUSES_OF } from "../../src/core/inbox.ts";
import type { TurnView } from "../../src/core/turn-view.ts";
import type { InboxObject } from "../../src/inbox/inbox.ts";
import { answer, call, fireAlarm, play, settled, stubOf } from "../workerd/client.ts";
import { author } from "../workerd/deliver-agents.ts";
import { faults } from "../workerd/faults.ts";

const { INBOX } = env as unknown as { readonly INBOX: DurableObjectNamespace<InboxObject> };
const ASKING = [
  { calls: [{ toolName: "ask_person", input: { question: "May we?" } }] },
  { calls: [{ toolName: "await_tasks", input: { taskIds: ["$task:1"] } }] },
  { text: "Done." },
];

afterEach(() => {
  vi.useRealTimers();
});

interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

async function list<T>(path: string): Promise<Page<T>> {
  const response = await call("GET", path);
  return response.json();
}

/** Waits, with a deadline, until the inbox was told: it may lag behind the sessions. */
function eventually<T>(read: () => Promise<T>, expected: (value: T) => void): Promise<void> {
  return vi.waitFor(async () => expected(await read()), { timeout: 5_000, interval: 20 });
}

it("lists the questions of all sessions, oldest first, page by page, and drops what is settled", async () => {
  const turns: TurnView[] = [];
  for (let n = 0; n < 5; n += 1) turns.push(await play(ASKING));
  const ids = turns.map((turn) => turn.waitingFor?.[0]?.requestId);
  await eventually(
    () => list<Question>("/v1/questions"),
    ({ items }) => expect(items.map((item) => item.requestId)).toEqual(ids),
  );

  const first = await list<Question>("/v1/questions?limit=2");
  const second = await list<Question>(`/v1/questions?limit=2&cursor=${first.nextCursor ?? ""}`);
  const third = await list<Question>(`/v1/questions?limit=2&cursor=${second.nextCursor ?? ""}`);
  expect([...first.items, ...second.items, ...third.items].map((item) => item.requestId)).toEqual(
    ids,
  );
  expect(third.nextCursor).toBeNull();
  expect(first.items[0]?.answerUrl).toContain("/a/");

  await answer(ids[0] ?? "", { text: "Yes." });
  await eventually(
    () => list<Question>("/v1/questions"),
    ({ items }) => expect(items.map((item) => item.requestId)).toEqual(ids.slice(1)),
  );
  const all = await list<Question>("/v1/questions?status=all");
  expect(all.items.map((item) => item.status)).toEqual([
    "answered",
    "waiting",
    "waiting",
    "waiting",
    "waiting",
  ]);
});

it("lists turns by status, from the sessions' own reports", async () => {
  const turn = await play([{ text: "At once." }], { session: "quick" });
  await eventually(
    () => list<TurnView>("/v1/turns?status=completed"),
    ({ items }) => expect(items.map((item) => item.id)).toContain(turn.id),
  );
  const parked = await list<TurnView>("/v1/turns?status=parked");
  expect(parked.items.every((item) => item.status === "parked")).toBe(true);
});

it("reads a page and no more, however much there is", async () => {
  const session = "0123456789abcdef01234567";
  const items = Array.from({ length: 600 }, (_, n) => ({
    kind: "turn" as const,
    id: `turn_${session}${String(n).padStart(8, "0")}`,
    createdAt: n,
    status: n % 3 === 0 ? "parked" : "completed",
    agent: "playground",
    questionKind: "",
    to: "",
    view: { n },
  }));
  await runInDurableObject(INBOX.getByName("crowded/1/0"), (inbox, { storage }) => {
    inbox.tell({ session, seq: 1, version: 1, items });
    const reading = vi.spyOn(storage.sql, "exec");
    const after = { at: 99, id: items[99]?.id ?? "" };
    for (const status of ["all", "parked"]) {
      reading.mockClear();
      const expected = items
        .slice(100)
        .filter((item) => status === "all" || item.status === status);
      const page = inbox.list({ kind: "turn", status, limit: 10, after });
      expect(page.map(({ id }) => id)).toEqual(expected.slice(0, 10).map(({ id }) => id));
      let rowsRead = 0;
      for (const { value } of reading.mock.results)
        rowsRead += (value as SqlStorageCursor<never>).rowsRead;
      expect(rowsRead, status).toBeGreaterThanOrEqual(10);
      // A page of each status that some have, and where each status ends.
      expect(rowsRead, status).toBeLessThanOrEqual(2 * 10 + STATUSES_OF.turn.length);
    }
  });
});

it("takes a list whose items an earlier version kept by their ids", async () => {
  const session = "0123456789abcdef01234567";
  await runInDurableObject(INBOX.getByName("before/1/0"), (inbox, { storage }) => {
    for (const statement of [
      `CREATE TABLE sessions (key TEXT PRIMARY KEY, seq INTEGER NOT NULL, version INTEGER NOT NULL, wake_at INTEGER,
        wakes INTEGER NOT NULL DEFAULT 0, rows_written INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID`,
      `CREATE TABLE items (id TEXT PRIMARY KEY, kind TEXT NOT NULL, created_at INTEGER NOT NULL, status TEXT NOT NULL,
        agent TEXT NOT NULL, question_kind TEXT NOT NULL, recipient TEXT NOT NULL, view TEXT NOT NULL) STRICT, WITHOUT ROWID`,
      "CREATE INDEX items_in_order ON items (kind, status, created_at, id)",
      `INSERT INTO sessions (key, seq, version) VALUES ('${session}', 1, 1)`,
      `INSERT INTO items VALUES ('turn_2', 'turn', 2, 'parked', 'desk', '', '', '{}'), ('turn_1', 'turn', 1, 'parked', 'desk', '', '', '{}')`,
    ])
      storage.sql.exec(statement);
    const listed = () =>
      inbox.list({ kind: "turn", status: "all", limit: 10 }).map(({ id, status }) => [id, status]);
    expect(listed()).toEqual([
      ["turn_1", "parked"],
      ["turn_2", "parked"],
    ]);
    const was = { kind: "turn", id: "turn_1", createdAt: 1, agent: "desk" } as const;
    const told = { ...was, status: "completed", questionKind: "", to: "", view: {} };
    inbox.tell({ session, seq: 2, version: 1, items: [told] });
    expect(listed()).toEqual([
      ["turn_1", "completed"],
      ["turn_2", "parked"],
    ]);
    const names = storage.sql.exec("SELECT name FROM sqlite_master WHERE name LIKE 'items%'");
    expect(names.toArray().map(({ name }) => name)).toEqual(["items", "items_by_id"]);
  });
});

it("keeps each workspace's list to itself", async () => {
  const response = await call("GET", "/v1/questions", undefined, { authorization: "Bearer other" });
  expect(await response.json()).toEqual({ items: [], nextCursor: null });
});

it("is told by the alarm where the object died before it could tell", async () => {
  faults.crashAfter(3);
  const body = { agent: "playground", input: "go", extraBody: { script: ASKING } };
  const started = await call("POST", "/v1/sessions/untold/turns", body);
  const { id, sessionId } = await started.json<TurnView>();
  await settled(id).catch(() => settled(id));
  await abortAllDurableObjects();
  expect(await fireAlarm(sessionId)).toBe(true);
  await eventually(
    () => list<Question>("/v1/questions"),
    ({ items }) => expect(items.map((item) => item.sessionId)).toContain(sessionId),
  );
  // Told at last, nothing is due any more: a parked turn without a deadline has no alarm.
  await eventually(
    () => fireAlarm(sessionId),
    (fired) => expect(fired).toBe(false),
  );
});

it("leaves no alarm behind a session that changed faster than people do", async () => {
  // The clock stands still, so each report after the first follows it at once.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  const turn = await play(ASKING, { session: "fast" });
  const shown = (status: string) => async () =>
    (await list<TurnView>(`/v1/turns?status=${status}`)).items.map(({ id }) => id);
  await eventually(shown("parked"), (ids) => expect(ids).toContain(turn.id));
  await answer(turn.waitingFor?.[0]?.requestId ?? "", { text: "Yes." });
  await eventually(shown("completed"), (ids) => expect(ids).toContain(turn.id));
  await eventually(
    () => runInDurableObject(stubOf(turn.sessionId), (_, { storage }) => storage.getAlarm()),
    (alarm) => expect(alarm).toBeNull(),
  );
});

it("is told by the alarm where a request woke the dead object first, and another chore was done", async () => {
  // The second commit completes the turn: the author has to hear of it, and so has the inbox.
  faults.crashAfter(2);
  author.results.length = 0;
  const body = { agent: "delivering", input: "go", extraBody: { script: [{ text: "Done." }] } };
  const started = await call("POST", "/v1/sessions/visited/turns", body);
  const { id, sessionId } = await started.json<TurnView>();
  await settled(id).catch(() => settled(id));
  expect(faults.crashed).toBe(true);
  await vi.waitFor(() => expect(author.results).toHaveLength(1), { timeout: 5_000, interval: 5 });
  expect(await fireAlarm(sessionId)).toBe(true);
  await eventually(
    () => list<TurnView>("/v1/turns?status=completed"),
    ({ items }) => expect(items.map((item) => item.id)).toContain(id),
  );
});

it("shows that a turn is tried again, what it still waits for, and which answer would be late", async () => {
  const script = [
    { fail: { status: 500 } },
    {
      calls: ["One?", "Two?"].map((question) => ({ toolName: "ask_person", input: { question } })),
    },
    {
      calls: [
        { toolName: "await_tasks", input: { taskIds: ["task_1", "task_2"], maxWaitMs: 1_000 } },
      ],
    },
    { text: "Done." },
  ];
  const session = "followed";
  const body = { agent: "playground", input: "go", extraBody: { script } };
  const started = await call("POST", `/v1/sessions/${session}/turns`, body);
  const { id, sessionId } = await started.json<TurnView>();
  const turnIn = async (status: string) =>
    (await list<TurnView>(`/v1/turns?status=${status}`)).items.find((item) => item.id === id);
  await eventually(
    () => turnIn("running"),
    (turn) => expect(turn).toMatchObject({ attempts: 1, error: { code: "model_failed" } }),
  );
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 1_000 });
  expect(await fireAlarm(sessionId)).toBe(true);
  await eventually(
    () => turnIn("parked"),
    (turn) => expect(turn?.waitingFor).toHaveLength(2),
  );
  const [one] = (await turnIn("parked"))?.waitingFor ?? [];
  await answer(one?.requestId ?? "", { text: "Yes." });
  await eventually(
    () => turnIn("parked"),
    (turn) => expect(turn?.waitingFor).toMatchObject([{ taskId: "task_2" }]),
  );
  vi.setSystemTime(Date.now() + 1_000);
  expect(await fireAlarm(sessionId)).toBe(true);
  await eventually(
    () => list<Question>("/v1/questions"),
    ({ items }) =>
      expect(items.find((item) => item.sessionId === sessionId)).toMatchObject({
        question: "Two?",
        late: true,
      }),
  );
});

it("is rebuilt from the sessions it knows, and then shows the same", async () => {
  const before = await list<Question>("/v1/questions?status=all&limit=100");
  const rebuilt = await call("POST", "/v1/inbox/rebuild", {});
  expect(rebuilt.status).toBe(200);
  expect(await list<Question>("/v1/questions?status=all&limit=100")).toEqual(before);
});

it("refuses a cursor that is none, and filters that are not known", async () => {
  for (const cursor of ["x", "", "MTIzIHFfMTIz"]) {
    const response = await call("GET", `/v1/questions?cursor=${cursor}`);
    expect(await response.json()).toMatchObject({ status: 400, code: "invalid_cursor" });
  }
  expect((await call("GET", "/v1/questions?colour=red")).status).toBe(400);
  expect((await call("GET", "/v1/questions?olderThan=4")).status).toBe(400);
});

it("filters by age, agent, kind and recipient", async () => {
  expect((await list<Question>("/v1/questions?olderThan=4h")).items).toEqual([]);
  expect((await list<Question>("/v1/questions?agent=nobody")).items).toEqual([]);
  expect((await list<Question>("/v1/questions?kind=form")).items).toEqual([]);
  expect((await list<Question>("/v1/questions?to=underwriter")).items).toEqual([]);
  expect(
    (await list<Question>("/v1/questions?agent=playground&kind=person")).items.length,
  ).toBeGreaterThan(0);
});

it("forgets what was erased, and is not reminded of it by a rebuild", async () => {
  const turn = await play(ASKING, { session: "inbox-erase" });
  const stays = await play(ASKING, { session: "inbox-erase-other" });
  const requestIds = (page: Page<Question>) => page.items.map(({ sessionId }) => sessionId);
  await eventually(
    () => list<Question>("/v1/questions?limit=100"),
    (page) => {
      expect(requestIds(page)).toContain(turn.sessionId);
      expect(requestIds(page)).toContain(stays.sessionId);
    },
  );
  expect((await call("DELETE", "/v1/sessions/inbox-erase")).status).toBe(204);
  const gone = async () => {
    await eventually(
      () => list<Question>("/v1/questions?status=all&limit=100"),
      (page) => expect(requestIds(page)).not.toContain(turn.sessionId),
    );
    const turns = await list<TurnView>("/v1/turns?limit=100");
    expect(turns.items.map(({ id }) => id)).not.toContain(turn.id);
    expect(turns.items.map(({ id }) => id)).toContain(stays.id);
  };
  await gone();
  expect((await call("POST", "/v1/inbox/rebuild", {})).ok).toBe(true);
  await gone();
});
