/**
 * Owns: a project of a user's own, in a folder of its own: the package unpacked from its tarball, the packages that its
 * manifest names and no others, the README's Worker, and the commands that a user runs there.
 */

import { execFile } from "node:child_process";
import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { environment, type StartCommand } from "./dev-server.ts";
import { readFiles } from "./documents.ts";

const REPOSITORY = join(import.meta.dirname, "../..");
const FIXTURE = join(REPOSITORY, "test/fixtures/package");
/** What a user's own manifest names beside the package: what compiles and what deploys. */
const USERS_TOOLS = ["@cloudflare/workers-types", "typescript", "wrangler"];

const ranges = z.record(z.string(), z.string());
const manifestSchema = z.object({ dependencies: ranges, peerDependencies: ranges });
const packedSchema = z.tuple([
  z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) }),
]);

export interface LibraryProject {
  /** The paths in the tarball. */
  readonly packed: readonly string[];
  readonly tarball: string;
  /** Runs a command of the project's own packages in its folder, and returns what it prints. Throws where it fails. */
  run(command: "tsc" | "wrangler", ...args: readonly string[]): Promise<string>;
  /** `wrangler dev` in the folder. */
  readonly dev: StartCommand;
}

export async function libraryProject(folder: string): Promise<LibraryProject> {
  const exec = (command: string, args: readonly string[], cwd: string) =>
    printed(command, args, cwd, environment(folder));
  const pack = await exec("npm", ["pack", "--json", "--pack-destination", folder], REPOSITORY);
  const [{ filename, files }] = packedSchema.parse(JSON.parse(pack));
  const modules = join(folder, "node_modules");
  const library = join(modules, "holdpoint");
  await mkdir(library, { recursive: true });
  await exec("tar", ["-xzf", filename, "-C", library, "--strip-components=1"], folder);
  // The package manager can't install a tarball without a network: what it would install stands here already.
  const manifest = JSON.parse(await readFile(join(library, "package.json"), "utf8"));
  const { dependencies, peerDependencies } = manifestSchema.parse(manifest);
  for (const name of [...Object.keys({ ...dependencies, ...peerDependencies }), ...USERS_TOOLS]) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(REPOSITORY, "node_modules", name), join(modules, name));
  }
  await cp(FIXTURE, folder, { recursive: true });
  for (const [path, text] of await readFiles("README.md")) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  await cp(join(REPOSITORY, "dev.vars"), join(folder, ".dev.vars"));
  const bin = (command: string) => join(REPOSITORY, "node_modules/.bin", command);
  return {
    packed: files.map(({ path }) => path),
    tarball: filename,
    run: (command, ...args) => exec(bin(command), args, folder),
    dev: { command: bin("wrangler"), args: ["dev", "--local"], cwd: folder },
  };
}

/** What a command prints. Throws, with what it printed, where it fails. */
export async function printed(
  command: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  try {
    return (await promisify(execFile)(command, args, { cwd, env })).stdout;
  } catch (error) {
    // What a compiler finds, it prints.
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${args.join(" ")} failed:\n${stdout}${stderr}`, { cause: error });
  }
}
