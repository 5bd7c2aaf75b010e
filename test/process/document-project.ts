/**
 * Owns: the project that a document of `docs/` shows: its blocks that name a file, in a folder of its own, on the library as
 * it is here. What a document leaves out of it is as the README shows it.
 */

import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseEnv } from "node:util";
import { readFiles } from "./documents.ts";
import { printed } from "./library-project.ts";
import { type BundledWorker, bundleWorker } from "./workerd-server.ts";

const REPOSITORY = join(import.meta.dirname, "../..");
const LIBRARY = join(REPOSITORY, "src/holdpoint.ts");
const TSCONFIG = {
  extends: join(REPOSITORY, "tsconfig.json"),
  compilerOptions: {
    types: ["@cloudflare/workers-types", "node"],
    paths: { holdpoint: [LIBRARY] },
  },
  include: ["**/*.ts"],
  exclude: ["node_modules"],
};

export interface DocumentProject {
  readonly folder: string;
  /** What the compiler finds; empty where it finds nothing. */
  typeErrors(): Promise<string>;
  /** What it brings in place of the variables of `npm run dev`. */
  readonly variables: Readonly<Record<string, string>>;
  bundle(): Promise<BundledWorker>;
}

/** Undefined where the document shows no Worker of its own. */
export async function documentProject(
  document: string,
  parent: string,
): Promise<DocumentProject | undefined> {
  const files = await readFiles(document);
  if (files.size === 0) return undefined;
  const folder = join(parent, "project");
  await mkdir(folder);
  await symlink(join(REPOSITORY, "node_modules"), join(folder, "node_modules"));
  const config = (await readFiles("README.md")).get("wrangler.toml") ?? "";
  const all = [
    ["wrangler.toml", config],
    ["tsconfig.json", JSON.stringify(TSCONFIG)],
    ...files,
  ] as const;
  for (const [path, text] of all) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const bin = (command: string) => join(REPOSITORY, "node_modules/.bin", command);
  return {
    folder,
    typeErrors: () => printed(bin("tsc"), ["-p", "."], folder, process.env),
    variables: parseEnv(files.get(".dev.vars") ?? "") as Record<string, string>,
    bundle: () => bundleWorker(join(folder, "wrangler.toml"), [`holdpoint:${LIBRARY}`]),
  };
}
