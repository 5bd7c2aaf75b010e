/**
 * Owns: a `workerd serve` process: its configuration as Cap'n Proto text, its start and end, and what /proc says of it.
 * Does not own: what is bundled (`bundle.ts`), nor what is asked of it.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { type Bundle, WORK } from "./bundle.ts";

/** Ticks of /proc/<pid>/stat in a second: USER_HZ, which is 100 on every Linux that Node runs on. */
const TICKS_A_SECOND = 100;

export interface ServerProcess {
  readonly pid: number;
  /** Milliseconds of CPU, user and system, since the process began. */
  cpuMs(): number;
  rssBytes(): number;
  /** Ends it, so that it closes its databases. */
  stop(): Promise<void>;
}

export interface Server extends ServerProcess {
  readonly origin: string;
  /** Where its objects' databases are. */
  readonly data: string;
  /** Where its inspector listens, where it was started with one. */
  readonly inspector: string | undefined;
}

export interface ServeOptions {
  readonly name: string;
  readonly bundle: Bundle;
  readonly variables?: Readonly<Record<string, string>>;
  readonly inspect?: boolean;
}

export async function serve(options: ServeOptions): Promise<Server> {
  const folder = join(WORK, "servers", options.name);
  const data = join(folder, "data");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(data, { recursive: true });
  const config = join(folder, "config.capnp");
  writeFileSync(config, configText(options, folder, data));
  const inspector = options.inspect === true ? ["--inspector-addr=127.0.0.1:0"] : [];
  const started = spawn(
    workerdPath(),
    ["serve", config, "--experimental", "--control-fd=3", ...inspector],
    { stdio: ["ignore", "ignore", "pipe", "pipe"] },
  );
  const said = errorsOf(started);
  const ports = await listening(started, inspector.length > 0);
  if (ports.http === undefined || started.pid === undefined)
    throw new Error(`workerd ended before it listened:\n${said()}`);
  return {
    ...processOf(started, started.pid),
    origin: `http://127.0.0.1:${ports.http}`,
    data,
    inspector: ports.inspector === undefined ? undefined : `127.0.0.1:${ports.inspector}`,
  };
}

/** What a server says is kept for its failure: much of it is warnings at its end. */
function errorsOf(started: ChildProcess): () => string {
  let said = "";
  started.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    said = `${said}${chunk}`.slice(-8_192);
  });
  return () => said;
}

const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const started of running) started.kill("SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    process.exit(1);
  });

/** What is measured of any server process, and how it is ended: at the latest with this one. */
export function processOf(started: ChildProcess, pid: number): ServerProcess {
  running.add(started);
  started.once("exit", () => running.delete(started));
  return {
    pid,
    cpuMs: () => cpuMs(pid),
    rssBytes: () => rssBytes(pid),
    stop: async () => {
      if (!running.has(started)) return;
      const ended = new Promise((done) => started.once("exit", done));
      started.kill("SIGTERM");
      await ended;
    },
  };
}

function cpuMs(pid: number): number {
  // The command's name stands in parentheses and may hold spaces: what follows the last one is fixed.
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = Number(fields[11]) + Number(fields[12]);
  return (ticks * 1_000) / TICKS_A_SECOND;
}

function rssBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+([0-9]+) kB$/m.exec(status)?.[1]) * 1024;
}

/** The binary that wrangler brings; the script of that name spawns it, and measured is the binary itself. */
export function workerdPath(): string {
  const require = createRequire(import.meta.url);
  const arch = process.arch === "x64" ? "64" : process.arch;
  return require.resolve(`@cloudflare/workerd-${process.platform}-${arch}/bin/workerd`);
}

interface Ports {
  readonly http: number | undefined;
  readonly inspector: number | undefined;
}

async function listening(started: ChildProcess, withInspector: boolean): Promise<Ports> {
  let http: number | undefined;
  let inspector: number | undefined;
  for await (const line of createInterface({ input: started.stdio[3] as Readable })) {
    const message = JSON.parse(line) as { event: string; port: number };
    if (message.event === "listen") http = message.port;
    if (message.event === "listen-inspector") inspector = message.port;
    if (http !== undefined && (inspector !== undefined || !withInspector)) break;
  }
  return { http, inspector };
}

/** What stands behind `cloudflare:email`, which workerd leaves to whoever configures it. Nothing here sends mail. */
const EMAIL = "export default { EmailMessage: class EmailMessage {} };";

function configText(
  { bundle, variables = {} }: ServeOptions,
  folder: string,
  data: string,
): string {
  const bindings = [
    ...bundle.classes.map(
      ({ binding, className }) =>
        `(name = ${text(binding)}, durableObjectNamespace = ${text(className)})`,
    ),
    ...Object.entries(variables).map(
      ([name, value]) => `(name = ${text(name)}, text = ${text(value)})`,
    ),
  ];
  const namespaces = bundle.classes.map(
    ({ className }) =>
      `(className = ${text(className)}, uniqueKey = ${text(className)}, enableSql = true)`,
  );
  const modules = bundle.modules.map(
    ({ name, path, kind }) =>
      `(name = ${text(name)}, ${kind} = embed ${text(relative(folder, path))})`,
  );
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "data", disk = (path = ${text(data)}, writable = true)),
    (name = "internet", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true))),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
  extensions = [(modules = [(name = "cloudflare-internal:email", internal = true, esModule = ${text(EMAIL)})])],
);

const main :Workerd.Worker = (
  modules = [${modules.join(", ")}],
  compatibilityDate = ${text(bundle.compatibilityDate)},
  compatibilityFlags = [${bundle.compatibilityFlags.map(text).join(", ")}],
  bindings = [
    ${bindings.join(",\n    ")}
  ],
  durableObjectNamespaces = [${namespaces.join(", ")}],
  durableObjectStorage = (localDisk = "data"),
);
`;
}

/** A text of Cap'n Proto, whose escapes are those of JSON as far as these values need them. */
function text(value: string): string {
  return JSON.stringify(value);
}
