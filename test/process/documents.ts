/**
 * Owns: the blocks of the documents: the commands that they print and what they say comes back, run against a server of
 * one's own, and the files of the Worker that they show.
 *
 * A block ```sh run is a command; a block ```json prints after it is what it prints, formatted, and a block ```text prints as it is. Ids, links and times differ
 * from run to run: a document's id stands for the one that came in its place, wherever the document names it again.
 * A block that names a file, ```ts src/index.ts, is that file.
 */

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Json } from "../../src/core/json.ts";

const REPOSITORY = join(import.meta.dirname, "../..");
const DOCUMENT_ORIGIN = "localhost:8787";
const DOCUMENT_FOLDER = ".wrangler/state";
const COMMAND_MS = 60_000;

const SNIPPET_PATTERN = /^```(\w+) (run|prints)\n(.*?)^```$/gms;
const NAME_PATTERN = /\b(?:turn|run|sess|q|req)_[0-9a-f]{24,32}\b|\/a\/[\w-]{40,}/g;
const TIME_PATTERN = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
const FILE_PATTERN = /^```\w+ ([\w./-]*\.\w+)\n(.*?)^```$/gms;
const MILLISECONDS_MIN = 1_500_000_000_000;

export interface Snippet {
  readonly command: string;
  /** What the document says that it prints. */
  readonly prints?: string;
  /** Whether that is text, not JSON. */
  readonly isText: boolean;
}

/** The server in place of the one that the documents name. */
export interface Place {
  readonly url: string;
  readonly folder: string;
  /** Where commands run: the repository's root where it is left out. */
  readonly cwd?: string;
}

/** The files that a document shows, by their paths. */
export async function readFiles(document: string): Promise<ReadonlyMap<string, string>> {
  const markdown = await readFile(join(REPOSITORY, document), "utf8");
  return new Map(
    Array.from(markdown.matchAll(FILE_PATTERN), ([, path = "", text = ""]) => [path, text]),
  );
}

export async function readSnippets(document: string): Promise<readonly Snippet[]> {
  const markdown = await readFile(join(REPOSITORY, document), "utf8");
  const snippets: Snippet[] = [];
  for (const [, language, kind, text = ""] of markdown.matchAll(SNIPPET_PATTERN)) {
    if (kind === "run") {
      snippets.push({ command: text, isText: false });
      continue;
    }
    const last = snippets.pop();
    if (last === undefined || last.prints !== undefined)
      throw new Error(`${document}: what is printed stands behind no command`);
    snippets.push({ ...last, prints: text, isText: language === "text" });
  }
  return snippets;
}

/** Runs a command as it stands there, and returns what it prints. */
export async function runCommand(
  command: string,
  { url, folder, cwd = REPOSITORY }: Place,
): Promise<string> {
  const here = command
    .replaceAll(DOCUMENT_ORIGIN, new URL(url).host)
    .replaceAll(DOCUMENT_FOLDER, folder)
    // The same without the seconds that npx takes to find it.
    .replaceAll("npx holdpoint", `node ${join(REPOSITORY, "bin/holdpoint.js")}`);
  const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", here], {
    cwd,
    // The command line calls the server that is there.
    env: { ...process.env, HOLDPOINT_URL: url },
    timeout: COMMAND_MS,
  });
  return stdout;
}

/** Which real name stands behind each of a document's, in the order in which they came up. */
export class Names {
  readonly #printed: string[] = [];
  readonly #real: string[] = [];

  /** The command with the names that this run has given. */
  inCommand(command: string): string {
    return command.replaceAll(
      NAME_PATTERN,
      (name) => this.#real[this.#printed.indexOf(name)] ?? name,
    );
  }

  /** What the document prints, with its own names replaced by their numbers. */
  masked(printed: Json): Json {
    return masked(printed, this.#printed);
  }

  /** The same for what a command really printed. */
  maskedReal(real: Json): Json {
    return masked(real, this.#real);
  }
}

function masked(value: Json, names: string[]): Json {
  if (typeof value === "string") return withoutNames(value, names);
  if (typeof value === "number") return value > MILLISECONDS_MIN ? "<time>" : value;
  if (Array.isArray(value)) return value.map((item: Json) => masked(item, names));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [
    name,
    masked(member ?? null, names),
  ]);
  return Object.fromEntries(members) as Json;
}

function withoutNames(text: string, names: string[]): string {
  const numbered = text.replaceAll(NAME_PATTERN, (name) => {
    if (!names.includes(name)) names.push(name);
    return `<${/^\/?[a-z]+/.exec(name)?.[0]} ${names.indexOf(name)}>`;
  });
  return numbered
    .replaceAll(TIME_PATTERN, "<time>")
    .replaceAll(/http:\/\/localhost:\d+/g, "<origin>");
}
