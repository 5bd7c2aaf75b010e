/**
 * Owns: what `npm run bench` does: brings the benchmark's own packages where they are missing, and runs it.
 *
 * --quick          fewer rounds, for a look; RESULTS.md is left as it is
 * --without-peers  the floor and Holdpoint alone
 * --profile        a CPU profile of a cycle, by whose code it is
 */

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    "without-peers": { type: "boolean", default: false },
    profile: { type: "boolean", default: false },
  },
});

const withPeers = !values["without-peers"] && !values.profile;
install(withPeers);
// Only now are its packages there.
if (values.profile) await (await import("./profile-run.ts")).runProfile();
else await (await import("./run.ts")).runBench({ isQuick: values.quick, withPeers });

/** Packages of the lock that are there are not fetched again. */
function install(peers: boolean): void {
  const folder = import.meta.dirname;
  const lock = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8")) as {
    packages: Record<string, { version?: string; optional?: boolean }>;
  };
  const isThere = Object.entries(lock.packages).every(([path, { version, optional }]) => {
    if (path === "" || (optional === true && !peers)) return true;
    const manifest = join(folder, path, "package.json");
    if (!existsSync(manifest)) return false;
    return (JSON.parse(readFileSync(manifest, "utf8")) as { version?: string }).version === version;
  });
  if (isThere) return;
  const omitted = peers ? [] : ["--omit=optional"];
  execFileSync("npm", ["ci", ...omitted], { cwd: folder, stdio: "inherit" });
}
