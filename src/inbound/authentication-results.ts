/**
 * Owns: reading an `Authentication-Results` header (RFC 8601), strictly: whoever sent the mail may have written much of
 * what stands in it, in comments and in quotes. What is not of the grammar is no result at all. Pure.
 */

export interface AuthenticationResults {
  /** The server that vouches for the results, in lower case. */
  readonly authority: string;
  readonly results: readonly MethodResult[];
}

export interface MethodResult {
  /** `dmarc`, `dkim`, `spf` …, in lower case. */
  readonly method: string;
  /** `pass`, `fail` …, in lower case. */
  readonly result: string;
  /** Such as `header.from`; names in lower case. */
  readonly properties: ReadonlyMap<string, string>;
}

/** Undefined where the value is not of the grammar. */
export function parseAuthenticationResults(value: string): AuthenticationResults | undefined {
  const sections = sectionsOf(value);
  const [head, ...rest] = sections ?? [];
  if (head === undefined) return undefined;
  const [authority, version, ...surplus] = head;
  if (authority === undefined || surplus.length > 0) return undefined;
  if (version !== undefined && !/^[0-9]+$/.test(version.text)) return undefined;
  // Some servers end the last result with a semicolon, as they do the others.
  if (rest.at(-1)?.length === 0) rest.pop();
  const isNone =
    rest.length === 1 && rest[0]?.length === 1 && rest[0][0]?.text.toLowerCase() === "none";
  const results = isNone ? [] : rest.map(resultOf);
  if (results.some((result) => result === undefined)) return undefined;
  return {
    authority: authority.text.toLowerCase(),
    results: results.filter((result) => result !== undefined),
  };
}

/** True where `authority` says in this header that the mail is of the domain that it says it is from (DMARC). */
export function passesDmarc(value: string, authority: string, fromDomain: string): boolean {
  const parsed = parseAuthenticationResults(value);
  if (parsed === undefined || parsed.authority !== authority.toLowerCase()) return false;
  const results = parsed.results.filter(({ method }) => method === "dmarc");
  const [only, ...others] = results;
  if (only === undefined || others.length > 0 || only.result !== "pass") return false;
  const domain = only.properties.get("header.from");
  return domain === undefined || domain.toLowerCase() === fromDomain.toLowerCase();
}

interface Word {
  readonly text: string;
  /** Between quotes it is a value, and nothing that the grammar knows. */
  readonly isQuoted: boolean;
}

/** The words of each part between semicolons, without comments; `=` stands with the words beside it. */
function sectionsOf(value: string): readonly (readonly Word[])[] | undefined {
  const sections: Word[][] = [[]];
  let at = 0;
  while (at < value.length) {
    const character = value.charAt(at);
    if (character === " " || character === "\t" || character === "\r" || character === "\n")
      at += 1;
    else if (character === "(") {
      const end = endOfComment(value, at);
      if (end === undefined) return undefined;
      at = end;
    } else if (character === ";") {
      sections.push([]);
      at += 1;
    } else if (character === '"') {
      const quoted = QUOTED.exec(value.slice(at, at + WORD_CHARACTERS));
      if (quoted === null) return undefined;
      sections.at(-1)?.push({ text: (quoted[1] ?? "").replaceAll(/\\(.)/g, "$1"), isQuoted: true });
      at += quoted[0].length;
    } else if (character === "=") {
      sections.at(-1)?.push({ text: "=", isQuoted: false });
      at += 1;
    } else {
      const word = WORD.exec(value.slice(at, at + WORD_CHARACTERS));
      if (word === null) return undefined;
      sections.at(-1)?.push({ text: word[0], isQuoted: false });
      at += word[0].length;
    }
  }
  return sections;
}

/** Longer than a word of this header is; a header has 2 KB and is cut by no server. */
const WORD_CHARACTERS = 1_024;
const QUOTED = /^"((?:[^"\\\r\n]|\\[^\r\n])*)"/;
// Tokens, and what an address adds to them. No control, no quote, no bracket of a comment.
const WORD = /^[A-Za-z0-9!#$%&'*+./:?@[\]^_`{|}~<>,-]+/;

/** Comments may stand in one another. */
function endOfComment(value: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < value.length; at += 1) {
    const character = value.charAt(at);
    if (character === "\\") at += 1;
    else if (character === "(") depth += 1;
    else if (character === ")") depth -= 1;
    if (depth === 0) return at + 1;
  }
  return undefined;
}

/** `method[/version] = result`, then `ptype.property = value`; a `reason = value`, and what some servers add, look alike. */
function resultOf(words: readonly Word[]): MethodResult | undefined {
  const pairs = new Map<string, string>();
  let first: { readonly method: string; readonly result: string } | undefined;
  for (let at = 0; at < words.length; at += 3) {
    const [name, equals, value] = [words[at], words[at + 1], words[at + 2]];
    if (name === undefined || equals === undefined || value === undefined) return undefined;
    if (name.isQuoted || equals.isQuoted || equals.text !== "=") return undefined;
    if (!value.isQuoted && value.text === "=") return undefined;
    const key = name.text.toLowerCase();
    if (first === undefined) {
      if (value.isQuoted || !/^[a-z0-9_-]+(?:\/[0-9]+)?$/.test(key)) return undefined;
      first = { method: key.replace(/\/[0-9]+$/, ""), result: value.text.toLowerCase() };
    } else {
      if (!/^[a-z0-9_.-]+$/.test(key)) return undefined;
      if (pairs.has(key)) return undefined;
      pairs.set(key, value.text);
    }
  }
  return first === undefined ? undefined : { ...first, properties: pairs };
}
