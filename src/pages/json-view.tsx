/**
 * Owns: JSON as a person reads it before approving it: indented, long texts broken at their own line ends, and every
 * character that can't be seen, or that would reorder others, spelt out.
 */

const TOKEN = /("(?:[^"\\]|\\.)*")(:|,)?|[^"]+/g;
// JSON escapes the first 32 itself. Of the rest: controls, line separators, and all that formats without being seen.
const UNSEEN = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu;

/** The same value as `JSON.stringify(value, null, 2)`, in visible characters only. */
export function visibleJson(value: unknown): string {
  return (JSON.stringify(value, null, 2) ?? "null").replace(UNSEEN, escaped);
}

export function JsonView({ value, label }: { readonly value: unknown; readonly label: string }) {
  return (
    <pre class="json" dir="ltr" tabindex={0} role="group" aria-label={label}>
      <code>{Array.from(visibleJson(value).matchAll(TOKEN), token)}</code>
    </pre>
  );
}

function token(match: RegExpMatchArray) {
  const [whole, string, after = ""] = match;
  if (string === undefined) return whole;
  if (after !== ":") return brokenText(string + after);
  return (
    <>
      <span class="name">{string}</span>
      {after}
    </>
  );
}

/** The `\n` stays to be seen, and the line ends after it. */
function brokenText(string: string) {
  const lines = string.split(/(?<=(?<!\\)(?:\\\\)*\\n)/);
  if (lines.length === 1) return string;
  return (
    <span class="lines">
      {lines.slice(0, -1).map((line) => (
        <>
          {line.slice(0, -2)}
          <span class="mark">\n</span>
          {"\n"}
        </>
      ))}
      {lines.at(-1)}
    </span>
  );
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
