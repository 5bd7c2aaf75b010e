/**
 * Owns: what one cycle reads, writes and asks in the objects of each system on the platform, by its own counters; and how
 * many reports one shard of the inbox takes in a second.
 */

import { setTimeout as pause } from "node:timers/promises";
import type { Bundle } from "./bundle.ts";
import type { Counts } from "./counting.ts";
import { CONNECTIONS, openClient } from "./http.ts";
import { medianOf } from "./statistics.ts";
import type { Target } from "./target.ts";
import { type Server, serve } from "./workerd.ts";

/** Of one cycle, by the class of object. */
export type CycleCounts = Readonly<Record<string, Counts>>;

const CYCLES = 5;
/** Reports to the inbox are made a short while after what they tell. */
const UNTIL_TOLD_MS = 2_000;

export async function countCycle(
  name: string,
  bundle: Bundle,
  variables: Readonly<Record<string, string>>,
  targetOf: (server: Server) => Target,
): Promise<CycleCounts> {
  const server = await serve({ name, bundle, variables: { ...variables, COUNTS: "1" } });
  const target = targetOf(server);
  const client = openClient(server.origin);
  // A person takes a while, and by then all that follows from the question is done.
  const cycle = async (): Promise<void> => {
    const parked = await target.start("counted");
    await pause(UNTIL_TOLD_MS);
    await target.finish(parked);
    await pause(UNTIL_TOLD_MS);
  };
  // The first one makes the tables.
  await cycle();
  const before = await client.call<CycleCounts>("GET", "/counts");
  for (let n = 0; n < CYCLES; n += 1) await cycle();
  const after = await client.call<CycleCounts>("GET", "/counts");
  await client.close();
  await target.stop();
  return Object.fromEntries(
    Object.entries(after).map(([label, counts]) => [label, perCycle(before[label], counts)]),
  );
}

function perCycle(before: Counts | undefined, after: Counts): Counts {
  const of = (name: keyof Counts): number => (after[name] - (before?.[name] ?? 0)) / CYCLES;
  return {
    rowsWritten: of("rowsWritten"),
    rowsRead: of("rowsRead"),
    alarmsSet: of("alarmsSet"),
    requests: of("requests"),
  };
}

export interface Shard {
  /** Reports of a session with a question and its turn that one shard takes in a second. */
  readonly reportsASecond: number;
}

export async function measureShard(
  bundle: Bundle,
  variables: Readonly<Record<string, string>>,
  seconds: number,
): Promise<Shard> {
  const server = await serve({ name: "shard", bundle, variables });
  const client = openClient(server.origin);
  const rates: number[] = [];
  for (let part = 0; part < seconds; part += 1) {
    const until = performance.now() + 1_000;
    let told = 0;
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async (_, caller) => {
        for (let n = 0; performance.now() < until; n += 1) {
          await client.call("POST", "/tell", reportOf(caller, part * 100_000 + n + 1));
          told += 1;
        }
      }),
    );
    rates.push(told);
  }
  await client.close();
  await server.stop();
  return { reportsASecond: medianOf(rates) };
}

function reportOf(caller: number, seq: number): unknown {
  const session = caller.toString(16).padStart(24, "0");
  const item = (kind: "turn" | "question", id: string) => ({
    kind,
    id: `${id}_${session}00000001`,
    createdAt: 1_800_000_000_000,
    status: seq % 2 === 0 ? "completed" : "parked",
    agent: "playground",
    questionKind: kind === "question" ? "form" : "",
    to: "",
    view: { question: "Which scope?", options: ["Focused", "Broad"] },
  });
  return { session, seq, version: 1, items: [item("turn", "turn"), item("question", "q")] };
}
