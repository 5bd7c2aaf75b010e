/**
 * Owns: the runtime as a process of its own, with a Worker that is bundled as for a deploy, and the objects' files in
 * a folder, which can be killed at any moment and started again on the same folder. Nothing stands between it and the
 * tests, so it starts, and answers, much sooner than the development server does.
 */

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { environment, temporaryFolder } from "./dev-server.ts";

export interface WorkerdServer extends AsyncDisposable {
  /** Where it listens, without a trailing slash. */
  readonly url: string;
  /** SIGKILL. Resolves when the process is gone. */
  kill(): Promise<void>;
}

export interface WorkerdOptions {
  readonly worker: BundledWorker;
  /** Where the objects' files are, and its configuration. */
  readonly folder: string;
  readonly variables: Readonly<Record<string, string>>;
  /** 0, or left out: any that is free. */
  readonly port?: number;
}

export interface BundledWorker {
  /** One module, with the classes Session and Inbox. */
  readonly code: string;
  readonly compatibilityDate: string;
  readonly name: string;
}

const WRANGLER = join(import.meta.dirname, "../../node_modules/.bin/wrangler");
/** In the folder, as the development server has them. */
const OBJECTS = "v3/do";
const run = promisify(execFile);
const require = createRequire(import.meta.url);

/** The Worker of a `wrangler.toml`, bundled as it would be deployed. Aliases are given as wrangler's flag takes them. */
export async function bundleWorker(
  wranglerToml: string,
  aliases: readonly string[] = [],
): Promise<BundledWorker> {
  await using folder = await temporaryFolder();
  const flags = [
    "deploy",
    "--dry-run",
    "--minify",
    "--config",
    wranglerToml,
    "--outdir",
    folder.path,
  ];
  for (const alias of aliases) flags.push("--alias", alias);
  await run(WRANGLER, flags, { cwd: dirname(wranglerToml), env: environment(folder.path) });
  const settings = await readFile(wranglerToml, "utf8");
  const name = /^name = "(.+)"$/m.exec(settings)?.[1];
  const main = /^main = ".*?(\w+)\.ts"$/m.exec(settings)?.[1];
  const compatibilityDate = /^compatibility_date = "(.+)"$/m.exec(settings)?.[1];
  if (name === undefined || main === undefined || compatibilityDate === undefined)
    throw new Error(`${wranglerToml} has no name, no main or no compatibility_date`);
  return { code: await readFile(join(folder.path, `${main}.js`), "utf8"), compatibilityDate, name };
}

/** Resolves when it listens. */
export async function startWorkerd(options: WorkerdOptions): Promise<WorkerdServer> {
  const { worker, folder, port = 0 } = options;
  await mkdir(join(folder, OBJECTS), { recursive: true });
  await writeFile(join(folder, "worker.js"), worker.code);
  await writeFile(join(folder, "workerd.capnp"), configuration(options, port));
  const child = spawn(await executable(), ["serve", "workerd.capnp", "--control-fd=3"], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  });
  const killChild = () => child.kill("SIGKILL");
  process.once("exit", killChild);
  const exited = once(child, "exit");
  let complaints = "";
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => (complaints += chunk));
  const kill = async () => {
    process.off("exit", killChild);
    killChild();
    await exited;
  };
  const listening = await Promise.race([portOf(child.stdio[3] as Readable), exited]);
  if (typeof listening !== "number") throw new Error(`workerd did not start: ${complaints}`);
  return { url: `http://localhost:${listening}`, kill, [Symbol.asyncDispose]: kill };
}

/** Told by the runtime over its control pipe, a line of JSON for each socket. */
async function portOf(control: Readable): Promise<number | undefined> {
  for await (const line of createInterface({ input: control })) {
    const { event, port } = JSON.parse(line) as { readonly event: string; readonly port?: number };
    if (event === "listen") return port;
  }
  return undefined;
}

/** The runtime itself, and not the script of its package that starts it: a kill must reach it. */
async function executable(): Promise<string> {
  const folder = dirname(require.resolve("workerd/package.json"));
  const platform = `@cloudflare/workerd-${process.platform}-${process.arch === "x64" ? "64" : process.arch}`;
  return require.resolve(`${platform}/bin/workerd`, { paths: [folder] });
}

function configuration({ worker, variables }: WorkerdOptions, port: number): string {
  // JSON's strings are those of the configuration's language, as far as they are used here.
  const text = Object.entries(variables).map(
    ([name, value]) => `(name = ${JSON.stringify(name)}, text = ${JSON.stringify(value)}),`,
  );
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "worker", worker = .worker),
    (name = "objects", disk = (path = "${OBJECTS}", writable = true)),
    (name = "internet", network = (allow = ["private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "worker")],
);

const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "${worker.compatibilityDate}",
  durableObjectNamespaces = [
    (className = "Session", uniqueKey = "${worker.name}-Session", enableSql = true),
    (className = "Inbox", uniqueKey = "${worker.name}-Inbox", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "objects"),
  bindings = [
    (name = "SESSION", durableObjectNamespace = "Session"),
    (name = "INBOX", durableObjectNamespace = "Inbox"),
    ${text.join("\n    ")}
  ],
);
`;
}
