/**
 * Owns: the cost sheet: what was counted in rows, requests and times, at list prices.
 */

import { type Cost, costOf, parkedYear, PRICES, WORKER_REQUESTS } from "./prices.ts";
import type { Results } from "./results.ts";
import { medianOf } from "./statistics.ts";
import { table } from "./table.ts";

const SESSIONS = 1_000_000;
const SHARES_A_SECOND = [10, 100, 1_000];

export function costText(results: Results): string {
  const costs = results.names.flatMap((name): Cost[] => {
    const counts = results.counts.get(name);
    const rounds = results.rounds.get(name) ?? [];
    if (counts === undefined) return [];
    const cpuMs = medianOf(rounds.map((round) => round.cpuMs));
    return [costOf(name, counts, cpuMs, medianOf(rounds.map(({ cycleP50Ms }) => cycleP50Ms)))];
  });
  return [
    "## Cost sheet",
    `Of one question, from its turn's start until its end is read: ${WORKER_REQUESTS} requests to the Worker, and what the platform's own counters say, all objects together. The time of an object is the whole cycle of a caller alone; the CPU is that of the whole server process. Prices are the platform's list prices beyond what its plan includes: ${pricesText()}.`,
    table(
      [
        "",
        "requests to objects",
        "rows written",
        "rows read",
        "CPU, ms",
        "object's time, ms",
        "1 000 questions, $",
      ],
      costs.map((cost) => [
        cost.name,
        cost.objectRequests.toFixed(1),
        cost.rowsWritten.toFixed(1),
        cost.rowsRead.toFixed(1),
        cost.cpuMs.toFixed(2),
        cost.objectMs.toFixed(1),
        (cost.dollars * 1_000).toFixed(4),
      ]),
    ),
    rowsText(results),
    "A parked turn is stored and nothing else: no request, no row, no time.",
    table(
      [
        "",
        "a parked turn for a year, $",
        `${SESSIONS.toLocaleString("en")} sessions with a question each, $`,
        "all of them parked for a year, $",
      ],
      costs.map(({ name, dollars }) => {
        const year = parkedYear(results.disk.get(name) ?? 0);
        return [
          name,
          year.toFixed(7),
          (dollars * SESSIONS).toFixed(2),
          (year * SESSIONS).toFixed(2),
        ];
      }),
    ),
    shardText(results),
  ].join("\n\n");
}

function pricesText(): string {
  const million = (price: number): string => `$${(price * 1_000_000).toFixed(3)}`;
  return [
    `a million requests to the Worker ${million(PRICES.workerRequest)}`,
    `a million ms of CPU ${million(PRICES.workerCpuMs)}`,
    `a million requests to objects ${million(PRICES.objectRequest)}`,
    `a million seconds of an object ${million(PRICES.objectSecond)}`,
    `a million rows written ${million(PRICES.rowWritten)}, read ${million(PRICES.rowRead)}`,
    `a gigabyte for a month $${(PRICES.storedByteMonth * 1_000_000_000).toFixed(2)}`,
  ].join(", ");
}

function rowsText({ counts }: Results): string {
  const rows = [...counts].flatMap(([name, cycle]) =>
    Object.entries(cycle).map(([label, each]) => [
      name,
      label,
      each.rowsWritten.toFixed(1),
      each.alarmsSet.toFixed(1),
      each.rowsRead.toFixed(1),
      each.requests.toFixed(1),
    ]),
  );
  return table(
    ["", "class of object", "rows written", "of them alarms set", "rows read", "requests"],
    rows,
  );
}

function shardText({ shard, counts }: Results): string {
  const reports = counts.get("holdpoint")?.["Inbox"]?.requests ?? 0;
  const cycles = shard.reportsASecond / Math.max(reports, 1);
  const rows = SHARES_A_SECOND.map((load) => [
    load.toLocaleString("en"),
    String(Math.max(1, Math.ceil(load / cycles))),
  ]);
  return `One shard of a workspace's inbox takes ${shard.reportsASecond.toFixed(0)} reports a second on this machine; a question makes ${reports.toFixed(1)} of them, so a shard is saturated at ${cycles.toFixed(0)} questions a second. \`INBOX_SHARDS\` for a load:\n\n${table(["questions a second, one workspace", "shards"], rows)}`;
}
