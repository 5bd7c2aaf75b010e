/**
 * Owns: making text harmless for a terminal. What a model or a stranger wrote may hold escape sequences that move the
 * cursor, set the title or fill the clipboard, and marks that reorder or hide text: each is shown by its code point.
 */

/**
 * Control characters but the line feed; marks that reorder text, that hide in it or that break lines where none is seen,
 * but the two joiners that scripts and emoji need; halves of surrogate pairs; and selectors in which text can be hidden.
 */
const HOSTILE = /(?![\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{e0100}-\u{e01ef}]/gu;

/** Text of several lines: line feeds stay, a tab is a space. */
export function harmless(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll("\t", " ")
    .replaceAll(HOSTILE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** The same on one line of at most so many characters. */
export function harmlessLine(text: string, max = 200): string {
  const line = harmless(text).replaceAll(/\s+/g, " ").trim();
  const characters = Array.from(line);
  return characters.length <= max ? line : `${characters.slice(0, max - 1).join("")}…`;
}

/** JSON that says the same, with what is hostile to a terminal escaped as JSON escapes it. */
export function harmlessJson(value: unknown, indent = 2): string {
  return JSON.stringify(value, null, indent).replaceAll(HOSTILE, escaped);
}

function escaped(character: string): string {
  return Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
  ).join("");
}
