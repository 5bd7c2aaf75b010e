/** Owns: the Worker as it is deployed, bundled once for all tests of a run that start it as a process. */

import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { bundleWorker, type BundledWorker } from "./workerd-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    readonly worker: BundledWorker;
  }
}

export default async function setup({ provide }: TestProject): Promise<void> {
  provide("worker", await bundleWorker(join(import.meta.dirname, "../../wrangler.toml")));
}
