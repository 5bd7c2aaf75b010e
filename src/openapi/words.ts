/**
 * Owns: what the reference (`docs/http.md`) says of each field, for the document of the API: one place has the words.
 */

import type { WordsOf } from "./document.ts";

/** The section whose tables describe a schema's fields. */
const SECTIONS: Readonly<Record<string, string>> = {
  StartTurn: "Start a turn",
  Turn: "Turns",
  Question: "Questions",
  Ask: "Ask without an agent",
  Results: "Results for a whole batch",
  Query: "Lists",
};

export function wordsOfReference(markdown: string): WordsOf {
  const sections = markdown.split(/^#+ /m);
  const bySchema = new Map(
    Object.entries(SECTIONS).map(([schema, heading]) => {
      const section = sections.find((text) => text.startsWith(`${heading}\n`));
      if (section === undefined) throw new Error(`the reference has no section "${heading}"`);
      return [schema, wordsIn(section)];
    }),
  );
  return (schema, field) => bySchema.get(schema)?.get(field);
}

/** From a table's rows: each name in the first cell has the words of the second. */
function wordsIn(section: string): ReadonlyMap<string, string> {
  const words = new Map<string, string>();
  for (const [, names = "", said = ""] of section.matchAll(/^\| (`[^|]+) \| ([^|]+) \|/gm)) {
    const text = plain(said);
    if (text === "") continue;
    for (const [, name = ""] of names.matchAll(/`(\w+)`/g))
      if (!words.has(name)) words.set(name, text);
  }
  return words;
}

/** A link would lead from the reference's folder. */
function plain(text: string): string {
  return text.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1").trim();
}
