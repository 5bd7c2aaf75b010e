/**
 * Owns: the app that ships as a process of its own, in the runtime and with the variables of `npm run dev`, without the
 * development server: what tests start that are not about the development server itself.
 */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { inject } from "vitest";
import {
  type BundledWorker,
  startWorkerd,
  type WorkerdOptions,
  type WorkerdServer,
} from "./workerd-server.ts";

interface AppOptions extends Omit<WorkerdOptions, "worker" | "variables"> {
  /** The app that ships where it is left out. */
  readonly worker?: BundledWorker;
  /** In place of those of `npm run dev`, or beside them. */
  readonly variables?: Readonly<Record<string, string>>;
}

const DEV_VARS = join(import.meta.dirname, "../../dev.vars");

/** Resolves when it listens. */
export async function startApp({ variables = {}, ...options }: AppOptions): Promise<WorkerdServer> {
  const development = parseEnv(await readFile(DEV_VARS, "utf8")) as Record<string, string>;
  return startWorkerd({
    worker: inject("worker"),
    ...options,
    variables: { MODEL: "demo", ...development, ...variables },
  });
}
