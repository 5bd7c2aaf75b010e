/**
 * Owns: the results as a page: tables of what was measured, the machine and the versions. It says where a target was set
 * and whether it is reached, and judges nothing else.
 */

import { readFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { BENCH, ROOT } from "./bundle.ts";
import { costText } from "./cost-report.ts";
import type { Results } from "./results.ts";
import { medianOf, spreadOf } from "./statistics.ts";
import { table } from "./table.ts";
import type { Round, Rounds } from "./throughput.ts";

const FLOOR = "floor";
const OURS = "holdpoint";

export function resultsText(results: Results): string {
  return `${[
    "# Results",
    `Written by \`npm run bench${results.isQuick ? " -- --quick" : ""}\`, which took ${results.minutes.toFixed(1)} minutes. [README.md](README.md) says how to read it.`,
    machineText(),
    targetsText(results),
    systemsText(results),
    parkedText(results),
    wakingText(results),
    costText(results),
    "## What differs",
    results.differences.map(({ name, text }) => `- **${name}**: ${text}`).join("\n"),
  ].join("\n\n")}\n`;
}

function machineText(): string {
  const [first] = cpus();
  const rows = [
    ["processor", `${cpus().length} × ${first?.model ?? "unknown"}`],
    ["memory", `${(totalmem() / 1024 ** 3).toFixed(0)} GiB`],
    ["system", `${process.platform} ${process.arch}`],
    ["node", process.version],
    ...["workerd", "wrangler", "hono", "ai"].map((name) => [name, versionOf(ROOT, name)]),
    ...["agents", "@cloudflare/ai-chat", "@langchain/langgraph", "better-sqlite3"].map((name) => [
      name,
      versionOf(BENCH, name),
    ]),
  ];
  return `${table(["", ""], rows)}\n\nLoad driver, servers and disk share this machine. The same driver asks all, over 32 connections, round by round one after another; a ratio is that of one round, and its median is given with the lowest and the highest.`;
}

function versionOf(folder: string, name: string): string {
  try {
    const manifest = readFileSync(join(folder, "node_modules", name, "package.json"), "utf8");
    return (JSON.parse(manifest) as { version: string }).version;
  } catch {
    return "not installed";
  }
}

interface Target {
  readonly what: string;
  readonly wanted: string;
  readonly reached: string;
  readonly isReached: boolean;
}

function targetsText(results: Results): string {
  const { rounds, growth, disk, waking, bundles, counts } = results;
  const ratio = (of: (round: Round) => number, to = FLOOR) =>
    spreadOf(ratiosOf(rounds, OURS, to, of));
  const atLeast = (
    what: string,
    of: (round: Round) => number,
    limit: number,
    to = FLOOR,
  ): Target => {
    const { median } = ratio(of, to);
    return {
      what,
      wanted: `≥ ${limit} × ${to}`,
      reached: spread(ratio(of, to)),
      isReached: median >= limit,
    };
  };
  const atMost = (what: string, of: (round: Round) => number, limit: number): Target => {
    const { median } = ratio(of);
    return {
      what,
      wanted: `≤ ${limit} × floor`,
      reached: spread(ratio(of)),
      isReached: median <= limit,
    };
  };
  const plain = (what: string, unit: string, limit: number, value: number): Target => ({
    what,
    wanted: `≤ ${limit}${unit}`,
    reached: `${value.toFixed(value < 10 ? 2 : 1)}${unit}`,
    isReached: value <= limit,
  });
  const { tenthMs = 0, lastMs = 0 } = growth.get(OURS) ?? {};
  const targets = [
    atLeast("cycles/s, existing sessions", ({ existing }) => existing, 0.6),
    ...(rounds.has("agents")
      ? [atLeast("cycles/s, existing sessions", ({ existing }) => existing, 4, "agents")]
      : []),
    atLeast("cycles/s, fresh sessions", ({ fresh }) => fresh, 0.7),
    atMost("answer to done, p50", ({ doneP50Ms }) => doneP50Ms, 2.5),
    atMost("answer to done, p99", ({ doneP99Ms }) => doneP99Ms, 4),
    atMost("server CPU a cycle", ({ cpuMs }) => cpuMs, 2.2),
    plain("question 500 against question 10", " ×", 1.3, lastMs / tenthMs),
    plain(
      "rows written a cycle, session object",
      "",
      14,
      counts.get(OURS)?.["Session"]?.rowsWritten ?? 0,
    ),
    plain("a parked turn on disk", " KiB", 24, (disk.get(OURS) ?? 0) / 1024),
    plain("waking above the floor's echo, p50", " ms", 3, waking.oursP50Ms - waking.floorP50Ms),
    plain("bundle, compressed", " KiB", 400, (bundles.get(OURS) ?? 0) / 1024),
  ];
  return `## Targets\n\n${table(
    ["holdpoint", "wanted", "measured", ""],
    targets.map(({ what, wanted, reached, isReached }) => [
      what,
      wanted,
      reached,
      isReached ? "reached" : "not reached",
    ]),
  )}`;
}

function systemsText({ names, rounds, growth }: Results): string {
  const rows = names.map((name) => {
    const of = rounds.get(name) ?? [];
    const median = (pick: (round: Round) => number): number => medianOf(of.map(pick));
    const against = (pick: (round: Round) => number): string =>
      name === FLOOR ? "1" : spread(spreadOf(ratiosOf(rounds, name, FLOOR, pick)));
    const grown = growth.get(name);
    return [
      name,
      `${median(({ existing }) => existing).toFixed(0)} · ${against(({ existing }) => existing)}`,
      `${median(({ fresh }) => fresh).toFixed(0)} · ${against(({ fresh }) => fresh)}`,
      `${median(({ doneP50Ms }) => doneP50Ms).toFixed(1)} · ${against(({ doneP50Ms }) => doneP50Ms)}`,
      `${median(({ doneP99Ms }) => doneP99Ms).toFixed(1)} · ${against(({ doneP99Ms }) => doneP99Ms)}`,
      `${median(({ cpuMs }) => cpuMs).toFixed(2)} · ${against(({ cpuMs }) => cpuMs)}`,
      grown === undefined
        ? ""
        : `${(grown.lastMs / grown.tenthMs).toFixed(2)} (question ${grown.questions}: ${grown.lastMs.toFixed(1)} ms)`,
    ];
  });
  return `## Cycles\n\nMedian of the rounds · ratio to the floor.\n\n${table(
    [
      "",
      "existing, cycles/s",
      "fresh, cycles/s",
      "answer to done p50, ms",
      "p99, ms",
      "server CPU a cycle, ms",
      "last question against the 10th",
    ],
    rows,
  )}`;
}

function parkedText({ names, disk, memory, startUp, bundles }: Results): string {
  const rows = names.map((name) => {
    const parked = memory.get(name);
    const bundle = bundles.get(name);
    return [
      name,
      ((disk.get(name) ?? 0) / 1024).toFixed(1),
      parked === undefined ? "" : mebibytes(parked.atOnceBytes),
      parked === undefined ? "" : `${mebibytes(parked.laterBytes)} (${parked.turns} turns)`,
      startUp.get(name)?.toFixed(0) ?? "",
      bundle === undefined ? "" : (bundle / 1024).toFixed(0),
    ];
  });
  return `## Parked turns, and starting\n\n${table(
    [
      "",
      "a parked turn on disk, KiB",
      "RSS for 1 000 parked turns, MiB",
      "13 s later, MiB",
      "CPU until the first answer, ms",
      "bundle, KiB compressed",
    ],
    rows,
  )}`;
}

/** A process may give back more of what it took at its start than the turns take. */
function mebibytes(bytes: number): string {
  return bytes < 0 ? "none" : (bytes / 1024 ** 2).toFixed(0);
}

function wakingText({ waking }: Results): string {
  return `## Waking\n\nFrom the sending of an answer until the model is called again, where the floor echoes the answer.\n\n${table(
    ["", "p50, ms", "p99, ms"],
    [
      [FLOOR, waking.floorP50Ms.toFixed(2), waking.floorP99Ms.toFixed(2)],
      [OURS, waking.oursP50Ms.toFixed(2), waking.oursP99Ms.toFixed(2)],
    ],
  )}`;
}

function ratiosOf(
  rounds: Rounds,
  name: string,
  to: string,
  of: (round: Round) => number,
): number[] {
  const others = rounds.get(to) ?? [];
  return (rounds.get(name) ?? []).flatMap((round, place) => {
    const other = others[place];
    return other === undefined ? [] : [of(round) / of(other)];
  });
}

function spread({ median, low, high }: ReturnType<typeof spreadOf>): string {
  return `${median.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`;
}
