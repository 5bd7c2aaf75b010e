import { env } from "cloudflare:workers";
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { afterEach, expect, it, vi } from "vitest";
import type { TurnView } from "../../src/core/turn-view.ts";
import { play, readTurn, settled, stubOf } from "./client.ts";
import { faults } from "./faults.ts";
import { begin } from "./journey.ts";

/** The whole proof takes a minute, so a shorter one runs where LONG_SESSION_STEPS does not ask for it. */
const STEPS = Number((env as { readonly LONG_SESSION_STEPS?: string }).LONG_SESSION_STEPS ?? 2_000);
const PLACES = [10, 100, 1_000, 10_000].filter((step) => step < STEPS).concat(STEPS);
/** Steps over which a place is measured. */
const WINDOW = 10;

afterEach(() => {
  vi.restoreAllMocks();
});

/** Where the commit of a step stands: the number of its row, and the commits up to it. */
interface Mark {
  readonly step: number;
  readonly seq: number;
  readonly commits: number;
  readonly at: number;
}

interface Cost {
  readonly step: number;
  readonly commits: number;
  readonly rows: number;
  readonly bytes: number;
  readonly milliseconds: number;
}

function markedSteps(): readonly Mark[] {
  const wanted = new Set(PLACES.flatMap((step) => [step - WINDOW, step]));
  const marks: Mark[] = [];
  let commits = 0;
  const committed = faults.committed.bind(faults);
  vi.spyOn(faults, "committed").mockImplementation((written, state) => {
    commits += 1;
    for (const { seq, facts } of written)
      for (const fact of facts)
        if (fact.type === "step.finished" && wanted.has(fact.step))
          marks.push({ step: fact.step, seq, commits, at: Date.now() });
    committed(written, state);
  });
  return marks;
}

function costAt(turn: TurnView, marks: readonly Mark[], step: number): Promise<Cost> {
  const from = marks.find((mark) => mark.step === step - WINDOW);
  const to = marks.find((mark) => mark.step === step);
  if (from === undefined || to === undefined) throw new Error(`step ${step} was not marked`);
  return runInDurableObject(stubOf(turn.sessionId), (_instance, state) => {
    const { rows, bytes } = state.storage.sql
      .exec<{ rows: number; bytes: number }>(
        `SELECT COUNT(*) AS rows, SUM(LENGTH(CAST(facts AS BLOB)) + LENGTH(CAST(head AS BLOB))) AS bytes
         FROM journal WHERE seq >= ? AND seq < ?`,
        from.seq,
        to.seq,
      )
      .one();
    return {
      step,
      commits: (to.commits - from.commits) / WINDOW,
      rows: rows / WINDOW,
      bytes: bytes / WINDOW,
      milliseconds: (to.at - from.at) / WINDOW,
    };
  });
}

it(
  `costs at step ${STEPS} of a turn what it costs at step 10, in rows, bytes and commits`,
  {
    timeout: 600_000,
  },
  async () => {
    const { sessionId } = await play([{ text: "first" }], { agent: "lasting", session: "long" });
    const marks = markedSteps();
    const before = await stubOf(sessionId).rowsWritten();
    const script = [{ calls: [{ toolName: "work" }], repeat: STEPS + 1 }, { text: "end" }];
    const { id } = await begin(script, { agent: "lasting", session: "long" });
    const turn = await settled(id);
    expect(turn).toMatchObject({ status: "completed", text: "end", usage: { steps: STEPS + 2 } });
    const rows = (await stubOf(sessionId).rowsWritten()) - before;
    const costs: Cost[] = [];
    for (const step of PLACES) costs.push(await costAt(turn, marks, step));
    for (const { step, commits, bytes, milliseconds, ...cost } of costs)
      console.log(
        `step ${step}: ${commits} commits, ${cost.rows} rows, ${bytes} bytes, ${milliseconds.toFixed(1)} ms`,
      );
    const [first, ...later] = costs;
    expect(first).toMatchObject({ commits: 2, rows: 2 });
    for (const cost of later) {
      expect(cost).toMatchObject({ commits: 2, rows: 2 });
      // The numbers in it grow by a digit now and then.
      expect(cost.bytes).toBeLessThan((first?.bytes ?? 0) + 40);
    }
    // Beside them: the start, the end, and an alarm every few seconds.
    expect(rows).toBeLessThan(2.1 * STEPS + 20);

    const started = Date.now();
    await evictDurableObject(stubOf(sessionId));
    expect(await readTurn(id)).toEqual(turn);
    console.log(`a new life of it is there in ${Date.now() - started} ms`);
    const next = await play([{ text: "next" }], { agent: "lasting", session: "long" });
    expect(next).toMatchObject({ status: "completed", text: "next" });
  },
);
