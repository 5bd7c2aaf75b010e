/**
 * Owns: a development server as a process of its own, on free ports and on a folder of its own, which can be killed at
 * any moment with all that it started, and started again on the same folder.
 */

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { until } from "./until.ts";

type Child = ChildProcessByStdio<null, Readable, Readable>;

export interface DevServer extends AsyncDisposable {
  /** Where it listens, without a trailing slash. */
  readonly url: string;
  /** SIGKILL to every process of it, the runtime's included. Resolves when nothing answers any more. */
  kill(): Promise<void>;
}

export interface DevServerOptions {
  /** Where the sessions' files are. */
  readonly folder: string;
  /** Variables for the Worker, each handed on as `--var NAME:value`. */
  readonly variables?: Readonly<Record<string, string>>;
  /** `npm run dev` where it is left out. */
  readonly start?: StartCommand;
}

/** A command that takes the flags of `wrangler dev`. */
export interface StartCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
}

const REPOSITORY = join(import.meta.dirname, "../..");
const NPM_RUN_DEV: StartCommand = { command: "npm", args: ["run", "dev", "--"], cwd: REPOSITORY };
const START_MS = 60_000;
const STOP_MS = 10_000;

/** Resolves when `/healthz` answers. */
export async function startDevServer(options: DevServerOptions): Promise<DevServer> {
  const { command, args, cwd } = options.start ?? NPM_RUN_DEV;
  const child = spawn(command, [...args, ...flags(options)], {
    cwd,
    env: environment(options.folder),
    stdio: ["ignore", "pipe", "pipe"],
    // A process group of its own, so that one signal reaches npm, wrangler and workerd alike.
    detached: true,
  });
  const killGroup = () => signalGroup(child);
  process.once("exit", killGroup);
  const output = outputOf(child);
  try {
    const url = await until(
      "the development server is ready",
      () => readyUrl(child, output),
      START_MS,
    );
    await until("/healthz answers", () => answers(url), START_MS);
    let killed: Promise<void> | undefined;
    const kill = () =>
      (killed ??= killAll(child, url).finally(() => process.off("exit", killGroup)));
    return { url, kill, [Symbol.asyncDispose]: kill };
  } catch (error) {
    killGroup();
    throw new Error(`${command} ${args.join(" ")} did not start. It printed:\n${output.text}`, {
      cause: error,
    });
  }
}

async function killAll(child: Child, url: string): Promise<void> {
  const exited = hasExited(child) ? undefined : once(child, "exit");
  signalGroup(child);
  await exited;
  await until("nothing answers", async () => ((await answers(url)) ? undefined : true), STOP_MS);
}

/** A folder that is removed when it goes out of scope. */
export async function temporaryFolder(
  parent: string = tmpdir(),
): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(parent, "holdpoint-"));
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }),
  };
}

function flags({ folder, variables = {} }: DevServerOptions): string[] {
  const ports = ["--port", "0", "--inspector-port", "0"];
  const names = Object.entries(variables).flatMap(([name, value]) => ["--var", `${name}:${value}`]);
  return [...ports, "--persist-to", folder, ...names];
}

/**
 * The caller's own, without what a test runner adds to it; what is left lying by a kill lies in the folder. Nothing asks
 * the network, as by `npm run dev`.
 */
export function environment(folder: string): NodeJS.ProcessEnv {
  const { NODE_ENV: _, NODE_OPTIONS: __, VITEST: ___, ...rest } = process.env;
  return {
    ...rest,
    NO_COLOR: "1",
    TMPDIR: folder,
    WRANGLER_REGISTRY_PATH: join(folder, "registry"),
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_SEND_ERROR_REPORTS: "false",
    WRANGLER_HIDE_BANNER: "true",
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
  };
}

function outputOf(child: Child): { text: string } {
  const output = { text: "" };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output.text += chunk;
    });
  return output;
}

function readyUrl(child: Child, output: { readonly text: string }): string | undefined {
  const url = /Ready on (http:\/\/[^\s/]+)/.exec(output.text)?.[1];
  if (url === undefined && hasExited(child)) throw new Error("it ended by itself");
  return url;
}

async function answers(url: string): Promise<true | undefined> {
  const response = await fetch(`${url}/healthz`).catch(() => undefined);
  return response?.ok === true ? true : undefined;
}

function hasExited(child: Child): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function signalGroup(child: Child): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // The group is gone already.
  }
}
