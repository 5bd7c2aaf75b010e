/** Owns: what the tables of the documents say, for the tests that hold them to the code. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";

export interface TableRow {
  /** What stands in backticks in the first cell. */
  readonly names: readonly string[];
  readonly cells: readonly string[];
}

export function readPage(path: string): Promise<string> {
  return readFile(join(import.meta.dirname, "..", path), "utf8");
}

/** The rows below a heading and before the next one. Throws where there are none. */
export function tableOf(page: string, heading: string): readonly TableRow[] {
  const section = page.split(/^#+ /m).find((text) => text.startsWith(`${heading}\n`));
  // A header and the line below it stand above the rows; a `|` in backticks would be escaped.
  const tables = Array.from((section ?? "").matchAll(/^\|.*\n\|[ -|]*\n((?:\|.*\n)+)/gm));
  const lines = tables.flatMap(([, body = ""]) => body.trimEnd().split("\n"));
  if (lines.length === 0) throw new Error(`there is no table below ${heading}`);
  return lines.map((line) => {
    const cells = line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim());
    return { names: namesIn(cells[0] ?? ""), cells };
  });
}

export function namesIn(text: string): string[] {
  return Array.from(text.matchAll(/`([^`]+)`/g), ([, name = ""]) => name);
}
