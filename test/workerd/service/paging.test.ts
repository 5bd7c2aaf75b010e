import { expect, it } from "vitest";
import { FORM_ANSWER } from "../journey.ts";
import {
  accepted,
  poll,
  readEntry,
  readRun,
  readRuns,
  refusal,
  resume,
  returned,
  runThatIs,
  say,
  send,
  startThread,
  turnIdOf,
  waitingRun,
  type Run,
} from "./client.ts";
import { ASK, clientCall } from "./scripts.ts";

/** All pages of a thread's runs, one after another. */
async function allPages(threadId: string, limit: number): Promise<Run[]> {
  const runs: Run[] = [];
  let query = `?limit=${limit}`;
  for (;;) {
    const page = await readRuns(threadId, query);
    expect(Object.keys(page)).toEqual(["items", "next_cursor"]);
    expect(page.items.length).toBeLessThanOrEqual(limit);
    runs.push(...page.items);
    if (page.next_cursor === null) return runs;
    expect(page.items).toHaveLength(limit);
    query = `?limit=${limit}&cursor=${page.next_cursor}`;
  }
}

function ids(runs: readonly Run[]): string[] {
  return runs.map(({ id }) => id);
}

/** A thread whose first turn takes three runs, while three messages wait that take two each. */
async function crowdedThread(): Promise<{ threadId: string; newestFirst: string[] }> {
  const calls = (id: string) => ({ calls: [clientCall(id)] });
  const first = await waitingRun([calls("a"), calls("b"), { text: "end" }]);
  const queued = [];
  for (const id of ["c", "d", "e"])
    queued.push((await accepted(say(first.thread_id, [calls(id), { text: "end" }]), 201)).entry);
  const inOrder = [first.id];
  let run = first;
  for (const id of ["a", "b"]) {
    const { body } = await resume(run.id, { calls: { [id]: returned(1) } });
    inOrder.push(body.id);
    if (id === "a") run = await runThatIs("waiting", body.id);
  }
  for (const [place, entry] of queued.entries()) {
    const { assigned_run_id } = await poll(
      () => readEntry(entry),
      ({ status }) => status === "consumed",
    );
    const waiting = await runThatIs("waiting", assigned_run_id ?? "");
    const { body } = await resume(waiting.id, {
      calls: { [["c", "d", "e"][place] ?? ""]: returned(1) },
    });
    inOrder.push(waiting.id, body.id);
    await runThatIs("completed", body.id);
  }
  return { threadId: first.thread_id, newestFirst: inOrder.toReversed() };
}

it("lists each run of a crowded thread once, newest first, whatever the size of its pages", async () => {
  const { threadId, newestFirst } = await crowdedThread();
  expect(newestFirst).toHaveLength(9);
  for (const limit of [1, 2, 3, 4, 8, 9, 10, 100]) {
    const runs = await allPages(threadId, limit);
    expect(ids(runs), `limit ${limit}`).toEqual(newestFirst);
    const times = runs.map(({ created_at }) => created_at);
    expect(times).toEqual(times.toSorted().toReversed());
  }
  const whole = await readRuns(threadId);
  expect(whole.next_cursor).toBeNull();
  expect(whole.items[0]).toEqual(await readRun(newestFirst[0] ?? ""));
});

it("shows 50 runs where no limit is given, and 100 at most", async () => {
  const first = await waitingRun(ASK);
  const entries = [];
  for (let n = 1; n <= 100; n += 1)
    entries.push((await accepted(say(first.thread_id, [{ text: `${n}` }]), 201)).entry);
  expect(await refusal(say(first.thread_id, [{ text: "one more" }]))).toEqual({
    status: 409,
    code: "conflict",
    details: { kind: "thread", id: first.thread_id, reason: "session_full" },
  });
  expect((await readRuns(first.thread_id)).items).toHaveLength(1);
  const { body: second } = await resume(first.id, {
    calls: { "question-1": returned(FORM_ANSWER) },
  });
  const last = entries.at(-1);
  if (last === undefined) throw new Error("there are entries");
  const done = await poll(
    () => readEntry(last),
    ({ status }) => status === "consumed",
  );
  await runThatIs("completed", done.assigned_run_id ?? "");
  const page = await readRuns(first.thread_id);
  expect(page.items).toHaveLength(50);
  const all = await readRuns(first.thread_id, "?limit=100");
  expect(all.items).toHaveLength(100);
  expect(ids(all.items.slice(0, 50))).toEqual(ids(page.items));
  const rest = await readRuns(first.thread_id, `?limit=100&cursor=${all.next_cursor}`);
  expect(rest.next_cursor).toBeNull();
  expect(ids(rest.items)).toEqual([second.id, first.id]);
  expect(all.items.map(({ output }) => Number(output))).toEqual(entries.map((_, n) => 100 - n));
}, 30_000);

it("lists no run of a message that waits, and none of one that was withdrawn", async () => {
  const run = await waitingRun(ASK);
  const waits = (await accepted(say(run.thread_id, [{ text: "one" }]), 201)).entry;
  for (let n = 0; n < 3; n += 1) {
    const { entry } = await accepted(say(run.thread_id, [{ text: "never" }]), 201);
    await accepted(send("POST", `/v1/turns/${turnIdOf(entry.id)}/cancel`));
  }
  expect(ids(await allPages(run.thread_id, 1))).toEqual([run.id]);
  const { body: successor } = await resume(run.id, {
    calls: { "question-1": returned(FORM_ANSWER) },
  });
  const { assigned_run_id } = await poll(
    () => readEntry(waits),
    ({ status }) => status === "consumed",
  );
  expect(ids(await allPages(run.thread_id, 1))).toEqual([assigned_run_id, successor.id, run.id]);
});

it("keeps a cursor's place while new runs come", async () => {
  const { thread, run } = await accepted(startThread([{ text: "1" }]), 201);
  await runThatIs("completed", run?.id ?? "");
  const second = await accepted(say(thread.id, [{ text: "2" }]), 201);
  await runThatIs("completed", second.run?.id ?? "");
  const page = await readRuns(thread.id, "?limit=1");
  expect(ids(page.items)).toEqual([second.run?.id]);
  const third = await accepted(say(thread.id, [{ text: "3" }]), 201);
  await runThatIs("completed", third.run?.id ?? "");
  const next = await readRuns(thread.id, `?limit=1&cursor=${page.next_cursor}`);
  expect(ids(next.items)).toEqual([run?.id]);
  expect(next.next_cursor).toBeNull();
});

it("refuses a limit that is none, and a query that it does not know", async () => {
  const { thread } = await accepted(startThread([{ text: "end" }]), 201);
  const path = `/api/v1/threads/${thread.id}/runs`;
  for (const limit of ["0", "101", "-1", "1.5", "ten", "", "1e1", "0x1"])
    expect(await refusal(send("GET", `${path}?limit=${limit}`)), limit).toMatchObject({
      status: 400,
      code: "invalid_argument",
      details: { fields: [{ field: "limit" }] },
    });
  expect(await refusal(send("GET", `${path}?order=asc`))).toMatchObject({
    status: 400,
    code: "invalid_argument",
  });
  for (const limit of [1, 100])
    expect((await readRuns(thread.id, `?limit=${limit}`)).items).toHaveLength(1);
});

it("refuses a cursor that is not of this list", async () => {
  const { thread, entry, run } = await accepted(startThread([{ text: "end" }]), 201);
  const other = await accepted(startThread([{ text: "end" }]), 201);
  const key = thread.id.slice("thread_".length);
  for (const cursor of [
    "",
    "x",
    "1",
    entry.id,
    thread.id,
    other.run?.id,
    `run_${key}000000ff`,
    `${run?.id}0`,
  ])
    expect(
      await refusal(send("GET", `/api/v1/threads/${thread.id}/runs?cursor=${cursor}`)),
      cursor,
    ).toEqual({
      status: 400,
      code: "invalid_cursor",
      details: null,
    });
});

it("knows no thread, and no entry of one, that never was", async () => {
  const { thread, entry } = await accepted(startThread([{ text: "end" }]), 201);
  const other = await accepted(startThread([{ text: "end" }]), 201);
  const noThread = `thread_${"0".repeat(24)}`;
  const cursor = `run_${"0".repeat(32)}`;
  for (const id of [noThread, thread.session_id, "thread-1"])
    for (const path of ["", "/runs", `/runs?cursor=${id === noThread ? cursor : ""}`])
      expect(await refusal(send("GET", `/api/v1/threads/${id}${path}`)), `${id}${path}`).toEqual({
        status: 404,
        code: "not_found",
        details: { kind: "thread", id },
      });
  for (const id of [
    other.entry.id,
    entry.id.replace(/.$/, "f"),
    entry.id.replace("entry_", "run_"),
    "entry-1",
  ])
    expect(await refusal(send("GET", `/api/v1/threads/${thread.id}/inbox/${id}`)), id).toEqual({
      status: 404,
      code: "not_found",
      details: { kind: "entry", id },
    });
});
