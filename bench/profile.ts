/**
 * Owns: a CPU profile of a served Worker, taken by the inspector's protocol, and whose code its time was spent in, by the
 * bundle's source map. Does not own: the load that runs meanwhile.
 */

import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, relative, resolve } from "node:path";
import { ROOT } from "./bundle.ts";

/** A node of a V8 profile, as far as it is read here. */
interface ProfileNode {
  readonly id: number;
  readonly callFrame: {
    readonly functionName: string;
    readonly url: string;
    readonly lineNumber: number;
    readonly columnNumber: number;
  };
  readonly children?: readonly number[];
}

export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const SAMPLING_MICROSECONDS = 200;

/** Takes a profile while `work` goes on. */
export async function profileWhile(
  inspector: string,
  work: () => Promise<unknown>,
): Promise<CpuProfile> {
  const listed = await fetch(`http://${inspector}/json`);
  const [first] = (await listed.json()) as { webSocketDebuggerUrl: string }[];
  if (first === undefined) throw new Error("the inspector lists no worker");
  const socket = new WebSocket(first.webSocketDebuggerUrl);
  await new Promise((open, failed) => {
    socket.addEventListener("open", open, { once: true });
    socket.addEventListener("error", failed, { once: true });
  });
  const waiting = new Map<number, (result: unknown) => void>();
  socket.addEventListener("message", ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result?: unknown };
    if (id === undefined) return;
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  let last = 0;
  const send = (method: string, params: object = {}): Promise<unknown> => {
    last += 1;
    const id = last;
    const answered = new Promise((done) => waiting.set(id, done));
    socket.send(JSON.stringify({ id, method, params }));
    return answered;
  };
  await send("Profiler.enable");
  await send("Profiler.setSamplingInterval", { interval: SAMPLING_MICROSECONDS });
  await send("Profiler.start");
  await work();
  const { profile } = (await send("Profiler.stop")) as { profile: CpuProfile };
  socket.close();
  return profile;
}

export interface Place {
  readonly owner: string;
  /** The function with its file. */
  readonly what: string;
  readonly ms: number;
}

export interface Attribution {
  readonly busyMs: number;
  /** Time in an owner's own code. */
  readonly owners: ReadonlyMap<string, number>;
  /** Time in a function itself, longest first. */
  readonly places: readonly Place[];
  /** Time in a function and all that it calls, longest first. */
  readonly inclusive: readonly Place[];
}

export function attribute(profile: CpuProfile, mapPath: string): Attribution {
  const map = new SourceMap(JSON.parse(readFileSync(mapPath, "utf8")));
  const folder = dirname(mapPath);
  const described = new Map(profile.nodes.map((node) => [node.id, describe(node, map, folder)]));
  const parents = new Map<number, number>();
  for (const { id, children } of profile.nodes)
    for (const child of children ?? []) parents.set(child, id);
  const owners = new Map<string, number>();
  const places = new Map<string, Place>();
  const inclusive = new Map<string, Place>();
  let busyMs = 0;
  for (const [id, ms] of selfTimes(profile)) {
    const place = described.get(id);
    if (place === undefined || place.owner === IDLE) continue;
    busyMs += ms;
    owners.set(place.owner, (owners.get(place.owner) ?? 0) + ms);
    add(places, place, ms);
    // A function that calls itself is counted once.
    const seen = new Set<string>();
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const above = described.get(at);
      if (above === undefined || seen.has(above.what)) continue;
      seen.add(above.what);
      add(inclusive, above, ms);
    }
  }
  return { busyMs, owners, places: byTime(places), inclusive: byTime(inclusive) };
}

function selfTimes({ samples, timeDeltas }: CpuProfile): Map<number, number> {
  const self = new Map<number, number>();
  for (const [place, id] of samples.entries()) {
    // A sample that comes late stands for a time in which the process did not run: another one had the processor.
    const microseconds = Math.min(timeDeltas[place] ?? 0, 2 * SAMPLING_MICROSECONDS);
    self.set(id, (self.get(id) ?? 0) + microseconds / 1_000);
  }
  return self;
}

function add(places: Map<string, Place>, { owner, what }: Omit<Place, "ms">, ms: number): void {
  places.set(what, { owner, what, ms: (places.get(what)?.ms ?? 0) + ms });
}

function byTime(places: ReadonlyMap<string, Place>): Place[] {
  return [...places.values()].sort((one, other) => other.ms - one.ms);
}

const IDLE = "idle";

function describe({ callFrame }: ProfileNode, map: SourceMap, folder: string): Omit<Place, "ms"> {
  const { functionName, url, lineNumber, columnNumber } = callFrame;
  const name = functionName === "" ? "(anonymous)" : functionName;
  if (name === "(idle)" || name === "(root)") return { owner: IDLE, what: name };
  if (!/index\.js/.test(url))
    return { owner: "the platform", what: `${name}${url === "" ? "" : ` ${url}`}` };
  const found = map.findEntry(lineNumber, columnNumber);
  const source = "originalSource" in found ? found.originalSource : "";
  const line = "originalLine" in found ? found.originalLine + 1 : 0;
  const file = source === "" ? "" : relative(ROOT, resolve(folder, source));
  return { owner: ownerOf(file), what: `${name} ${file}:${line}` };
}

function ownerOf(file: string): string {
  if (file.startsWith("src/")) return "our code";
  if (/node_modules\/(ai|@ai-sdk)\//.test(file)) return "the AI SDK";
  if (file.includes("node_modules/zod/")) return "zod";
  if (file.includes("node_modules/hono/")) return "Hono";
  return "other packages";
}
