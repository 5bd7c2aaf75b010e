/**
 * Owns: the command line, `npx holdpoint`: its commands, and how an error of theirs is told. It uses the client alone.
 */

import { Command } from "commander";
import { pc } from "./colours.ts";
import { HoldpointProblem, HoldpointUnreachable } from "../client.ts";
import { harmless, harmlessLine } from "./harmless.ts";
import { addInbox } from "./inbox.ts";
import { addKey } from "./key.ts";
import { addTurns } from "./turns.ts";

const program = new Command("holdpoint")
  .description("Questions and turns of a Holdpoint, from the terminal.")
  .option("--url <url>", "where the Worker is; else HOLDPOINT_URL, else http://localhost:8787")
  .option("--key <key>", "the API key; else HOLDPOINT_KEY, else that of local development")
  .showHelpAfterError();
addInbox(program);
addTurns(program);
addKey(program);

// A reader that has enough, such as `head`, is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`${pc.red(told(error))}\n`);
  process.exitCode = 1;
}

function told(error: unknown): string {
  if (error instanceof HoldpointProblem) {
    const { code, detail, issues = [], instance } = error.problem;
    const said = issues.map(({ path, message }) => `\n  ${harmlessLine(`${path} ${message}`)}`);
    return `${harmlessLine(code)}: ${harmless(detail)}${said.join("")}\n(request ${harmlessLine(instance)})`;
  }
  if (error instanceof HoldpointUnreachable)
    return `${harmlessLine(error.message)}. Is a Worker there? Name it by --url or HOLDPOINT_URL.`;
  return error instanceof Error ? harmless(error.message) : harmless(String(error));
}
