/**
 * Owns: what a person wrote in a reply, out of all that the mail says: without what was quoted, without what programs
 * add, without greeting and signature. Pure, and linear in the length of the mail.
 *
 * Two kinds of words are told apart from the person's own: quoted lines, which may stand anywhere between these; and
 * places from which on all is quoted or signature, at which the text ends.
 */

import {
  ADDED_LINE,
  CLOSING,
  GREETING,
  HEAD_LINE,
  INTRODUCTION,
  INTRODUCTION_START,
  JAPANESE_GREETING,
  QUOTED_HEAD,
} from "./mail-phrases.ts";

/** `senderName` is the name in `From`: below an answer it is a signature. */
export function replyOf(text: string, senderName = ""): string {
  const lines = text.replaceAll(/\r\n?/g, "\n").split("\n").map(lineOf);
  const kept = withoutQuotes(lines);
  return withoutGreeting(withoutSignature(kept, namesOf(senderName)))
    .map(({ written }) => written)
    .join("\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

interface Line {
  readonly written: string;
  /** For comparing: on one line, without marks of emphasis and direction. Empty for what is too long to be a phrase. */
  readonly plain: string;
  readonly isQuoted: boolean;
}

const PHRASE_CHARACTERS = 400;
const INTRODUCTION_LINES = 4;
const HEAD_LINES = 6;

const BLANK: Line = { written: "", plain: "", isQuoted: false };

function lineOf(line: string): Line {
  const written = line.trimEnd();
  if (written === "") return BLANK;
  const isQuoted = /^[\s\u200b\ufeff]{0,8}[>＞]/.test(written);
  const plain =
    written.length > PHRASE_CHARACTERS
      ? ""
      : written
          .replaceAll(/[\p{Bidi_Control}\u200b\ufeff*]/gu, "")
          .replaceAll(/\s+/g, " ")
          .trim();
  return { written, plain, isQuoted };
}

function isBlank({ written }: Line): boolean {
  return written === "";
}

function withoutQuotes(lines: readonly Line[]): readonly Line[] {
  const kept: Line[] = [];
  for (const [at, line] of lines.entries()) {
    if (line.isQuoted) continue;
    if (line.plain === "") {
      kept.push(line);
      continue;
    }
    if (isHead(lines, at)) {
      // Some programs write the date of what they quote above its sender.
      while (HEAD_LINE.test(kept.at(-1)?.plain ?? "")) kept.pop();
      break;
    }
    if (endsHere(line)) break;
    kept.push(line);
    if (!/[:：]$/.test(line.plain)) continue;
    const span = introductionBefore(kept, isQuoteNext(lines, at));
    if (span === 0) continue;
    kept.length -= span;
    // Without marks on what is quoted, it is all that follows.
    if (!isQuoteNext(lines, at)) break;
  }
  return kept;
}

/** Whether at this line what the person wrote is over. */
function endsHere({ plain }: Line): boolean {
  if (/^(?:--|__|_{10,}|-{10,}|={10,})$/.test(plain)) return true;
  return /^[-_=]{4,}[^-_=].{0,160}[-_=]{4,}$/.test(plain) || ADDED_LINE.test(plain);
}

/** The first line of a head: others of it follow. */
function isHead(lines: readonly Line[], at: number): boolean {
  if (!QUOTED_HEAD.test(lines[at]?.plain ?? "")) return false;
  const following = lines.slice(at + 1, at + HEAD_LINES);
  return following.filter(({ plain }) => HEAD_LINE.test(plain)).length >= 2;
}

function isQuoteNext(lines: readonly Line[], at: number): boolean {
  for (let next = at + 1; next <= at + 3; next += 1) {
    const line = lines[next];
    if (line === undefined) return false;
    if (line.isQuoted) return true;
    if (!isBlank(line)) return false;
  }
  return false;
}

const DATE =
  /[0-9\u0660-\u0669]{1,2}[:.h][0-9\u0660-\u0669]{2}|(?:19|20)[0-9]{2}|[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{2,4}|[\u0660-\u0669]{4}/;

/** How many of the last lines, the last of which ends in a colon, introduce what is quoted; 0: they are the person's. */
function introductionBefore(kept: readonly Line[], isQuoted: boolean): number {
  for (let span = 1; span <= INTRODUCTION_LINES && span <= kept.length; span += 1) {
    const part = kept.slice(kept.length - span);
    const [first] = part;
    if (first === undefined || isBlank(first)) return 0;
    const joined = part.map(({ plain }) => plain).join(" ");
    const isWrote = INTRODUCTION.test(joined);
    const isDated = DATE.test(joined) || joined.includes("@");
    if (isWrote ? isDated || isQuoted : isDated && isQuoted) return withItsStart(kept, span);
  }
  return 0;
}

/** A line that breaks within the date, or beside the name, leaves its beginning on the line above. */
function withItsStart(kept: readonly Line[], found: number): number {
  let span = found;
  while (span < INTRODUCTION_LINES && !INTRODUCTION_START.test(kept.at(-span)?.plain ?? "")) {
    const above = kept.at(-span - 1)?.plain ?? "";
    if (!above.includes("@") && !DATE.test(above) && !INTRODUCTION_START.test(above)) break;
    span += 1;
  }
  return span;
}

/** From a closing, or from the sender's own name after a blank line, on. Not the first line: an answer may be a name. */
function withoutSignature(lines: readonly Line[], names: ReadonlySet<string>): readonly Line[] {
  const first = lines.findIndex((line) => !isBlank(line));
  const end = lines.findIndex(({ plain }, at) => {
    if (at <= first || plain === "") return false;
    if (CLOSING.test(plain)) return true;
    const before = lines[at - 1];
    return before !== undefined && isBlank(before) && names.has(folded(plain));
  });
  return end === -1 ? lines : lines.slice(0, end);
}

function namesOf(senderName: string): ReadonlySet<string> {
  const name = folded(senderName);
  const parts = name.split(" ").filter((part) => part.length > 1);
  const turned = name.includes(" ") ? [...parts.slice(1), parts[0]].join(" ") : name;
  return new Set([name, turned, ...parts].filter((part) => part !== ""));
}

function folded(name: string): string {
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[\s,.!-]+/g, " ")
    .trim();
}

/** A greeting of the first line, where something follows. */
function withoutGreeting(lines: readonly Line[]): readonly Line[] {
  const first = lines.findIndex((line) => !isBlank(line));
  const { plain } = lines[first] ?? { plain: "" };
  if (!GREETING.test(plain) && !JAPANESE_GREETING.test(plain)) return lines;
  const rest = lines.slice(first + 1);
  return rest.some((line) => !isBlank(line)) ? rest : lines;
}
