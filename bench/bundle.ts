/**
 * Owns: the bundles that are served, each made by `wrangler deploy --dry-run` from the configuration that a deploy would
 * read; what workerd has to know of one beside its code is read from that same configuration.
 */

import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

export interface Bundle {
  readonly modules: readonly Module[];
  readonly classes: readonly { readonly binding: string; readonly className: string }[];
  readonly compatibilityDate: string;
  readonly compatibilityFlags: readonly string[];
  readonly gzipBytes: number;
  /** The source map of the one module that is code. */
  readonly map: string;
}

interface Module {
  readonly name: string;
  readonly path: string;
  readonly kind: "esModule" | "wasm";
}

export const BENCH = dirname(fileURLToPath(import.meta.url));
export const ROOT = resolve(BENCH, "..");
/** All that a run writes beside its results. */
export const WORK = join(BENCH, ".work");

/** `configuration`: a wrangler.toml, from the root of the repository. */
export function bundleOf(name: string, configuration: string, isMinified = true): Bundle {
  const outdir = join(WORK, "bundles", name);
  rmSync(outdir, { recursive: true, force: true });
  mkdirSync(outdir, { recursive: true });
  const wrangler = join(ROOT, "node_modules", "wrangler", "bin", "wrangler.js");
  const options = ["--config", configuration, "--outdir", outdir];
  execFileSync(
    process.execPath,
    [wrangler, "deploy", "--dry-run", ...options, ...(isMinified ? ["--minify"] : [])],
    {
      cwd: ROOT,
      stdio: ["ignore", "ignore", "inherit"],
      env: {
        ...process.env,
        WRANGLER_SEND_METRICS: "false",
        WRANGLER_SEND_ERROR_REPORTS: "false",
        WRANGLER_HIDE_BANNER: "true",
      },
    },
  );
  return { ...readConfiguration(join(ROOT, configuration)), ...readModules(outdir) };
}

function readModules(outdir: string): Pick<Bundle, "modules" | "gzipBytes" | "map"> {
  const modules: Module[] = [];
  let gzipBytes = 0;
  let map = "";
  for (const name of readdirSync(outdir)) {
    const path = join(outdir, name);
    if (name.endsWith(".map")) map = path;
    if (name.endsWith(".map") || name === "README.md") continue;
    gzipBytes += gzipSync(readFileSync(path)).length;
    modules.push({ name, path, kind: name.endsWith(".wasm") ? "wasm" : "esModule" });
  }
  // The entry comes first: workerd runs the first module.
  modules.sort((one, other) => Number(isEntry(other)) - Number(isEntry(one)));
  return { modules, gzipBytes, map };
}

function isEntry({ name }: Module): boolean {
  return /^(index|worker|counted)\.js$/.test(name);
}

/** The few lines of a wrangler.toml that workerd needs; they stand in it in this form. */
function readConfiguration(
  path: string,
): Pick<Bundle, "classes" | "compatibilityDate" | "compatibilityFlags"> {
  const text = readFileSync(path, "utf8");
  const classes = Array.from(
    text.matchAll(/^name = "(\w+)"\nclass_name = "(\w+)"$/gm),
    ([, binding = "", className = ""]) => ({ binding, className }),
  );
  const date = /^compatibility_date = "([0-9-]+)"$/m.exec(text)?.[1];
  if (date === undefined || classes.length === 0)
    throw new Error(`${path} has no compatibility date or no classes`);
  const flags = /^compatibility_flags = \[(.*)\]$/m.exec(text)?.[1] ?? "";
  return {
    classes,
    compatibilityDate: date,
    compatibilityFlags: Array.from(flags.matchAll(/"(\w+)"/g), ([, flag = ""]) => flag),
  };
}
