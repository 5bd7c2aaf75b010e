/** Owns: `holdpoint key new`: a key and the line of API_KEYS that lets it in. The Worker keeps its hash alone. */

import type { Command } from "commander";
import { base64url } from "../core/bytes.ts";
import { apiKeySchema } from "../core/key.ts";
import { sha256Hex } from "../core/ids.ts";
import { issuesOf } from "../core/issue.ts";
import { say, sayJson } from "./terminal.ts";

interface KeyFlags {
  readonly id: string;
  readonly workspace: string;
  readonly can: string;
  readonly json?: true;
}

/** As many as a session key of TLS has. */
const KEY_BYTES = 32;

export function addKey(program: Command): void {
  program
    .command("key")
    .description("keys for callers")
    .command("new")
    .description("make a key; it is shown this once")
    .option("--id <id>", "how the key is called in the log and in histories", "app")
    .option("--workspace <workspace>", "the workspace that it opens", "default")
    .option("--can <rights>", "of run, answer, read, admin", "run,answer,read")
    .option("--json", "print JSON")
    .action(async (_: unknown, command: Command) => {
      const { id, workspace, can, json }: KeyFlags = command.optsWithGlobals();
      const key = `hp_${base64url(crypto.getRandomValues(new Uint8Array(KEY_BYTES)))}`;
      const entry = checked({
        id,
        sha256: await sha256Hex(key),
        workspace,
        can: can.split(",").map((right) => right.trim()),
      });
      if (json === true) return sayJson({ key, entry });
      say(`Key:     ${key}`);
      say(`SHA-256: ${entry.sha256}`);
      say("");
      say("An entry of the list in the secret API_KEYS (npx wrangler secret put API_KEYS):");
      say(JSON.stringify(entry));
    });
}

function checked(entry: unknown): { readonly sha256: string } {
  const parsed = apiKeySchema.safeParse(entry);
  if (parsed.success) return parsed.data;
  const said = issuesOf(parsed.error).map(({ path, message }) => `--${path} ${message}`);
  throw new Error(said.join("; "));
}
