/**
 * Owns: the project that a document of `docs/` shows: its blocks that name a file, in a folder of its own, on the library as
 * it is here. What a document leaves out of it is as the README shows it.
 */

import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseEnv } from "node:util";
import { readFiles } from "./documents.ts";
import { printed } from "./library-project.ts";
import { type BundledWorker, bundleWorker } from "./workerd-server.ts";

const REPOSITORY = join(import.meta.dirname, "../..");
const LIBRARY = join(REPOSITORY, "src/holdpoint.ts");
const CLIENT = join(REPOSITORY, "src/client.ts");
/** The library as it is here, as a package that Node finds. */
const PACKAGE = {
  name: "holdpoint",
  type: "module",
  exports: { ".": "./src/holdpoint.ts", "./client": "./src/client.ts" },
};
const TSCONFIG = {
  extends: join(REPOSITORY, "tsconfig.json"),
  compilerOptions: {
    types: ["@cloudflare/workers-types", "node"],
    paths: { holdpoint: [LIBRARY], "holdpoint/client": [CLIENT] },
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
  /** The document's own Worker; undefined where it shows none. */
  bundle(): Promise<BundledWorker | undefined>;
}

/** Undefined where the document shows no files. */
export async function documentProject(
  document: string,
  parent: string,
): Promise<DocumentProject | undefined> {
  const files = await readFiles(document);
  if (files.size === 0) return undefined;
  const folder = join(parent, "project");
  await mkdir(folder);
  await linkPackages(join(folder, "node_modules"));
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
    bundle: async () =>
      files.has("src/index.ts")
        ? bundleWorker(join(folder, "wrangler.toml"), [`holdpoint:${LIBRARY}`])
        : undefined,
  };
}

/** The repository's packages, and the library among them. */
async function linkPackages(modules: string): Promise<void> {
  const library = join(modules, "holdpoint");
  await mkdir(library, { recursive: true });
  for (const name of await readdir(join(REPOSITORY, "node_modules")))
    await symlink(join(REPOSITORY, "node_modules", name), join(modules, name));
  await symlink(join(REPOSITORY, "src"), join(library, "src"));
  await writeFile(join(library, "package.json"), JSON.stringify(PACKAGE));
}
