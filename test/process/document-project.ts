/**
 * Owns: the projects that the documents of `docs/` show: the blocks of each that name a file, in a folder of its own, on the
 * library as it is here. What a document leaves out of it is as the README shows it.
 */

import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
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
  /** What it brings in place of the variables of `npm run dev`. */
  readonly variables: Readonly<Record<string, string>>;
  /** The document's own Worker; undefined where it shows none. */
  bundle(): Promise<BundledWorker | undefined>;
}

export interface DocumentProjects {
  /** Undefined for a document that shows no files. */
  of(document: string): DocumentProject | undefined;
  /** Of all files that the documents show. */
  readonly paths: readonly string[];
  /** Compiles all of them at once, and returns the paths that the compiler read. Throws, with what it finds. */
  compile(): Promise<string>;
}

export async function documentProjects(
  documents: readonly string[],
  parent: string,
): Promise<DocumentProjects> {
  await linkPackages(join(parent, "node_modules"));
  await writeFile(join(parent, "tsconfig.json"), JSON.stringify(TSCONFIG));
  const projects = new Map<string, DocumentProject>();
  const paths: string[] = [];
  for (const document of documents) {
    const files = await readFiles(document);
    const folder = join(parent, basename(document, ".md"));
    if (files.size > 0) projects.set(document, await project(files, folder));
    paths.push(...Array.from(files.keys(), (path) => join(folder, path)));
  }
  const tsc = join(REPOSITORY, "node_modules/.bin/tsc");
  return {
    of: (document) => projects.get(document),
    paths,
    compile: () => printed(tsc, ["-p", ".", "--listFiles"], parent, process.env),
  };
}

async function project(
  files: ReadonlyMap<string, string>,
  folder: string,
): Promise<DocumentProject> {
  const config = (await readFiles("README.md")).get("wrangler.toml") ?? "";
  for (const [path, text] of [["wrangler.toml", config] as const, ...files]) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return {
    folder,
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
