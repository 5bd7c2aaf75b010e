import { describe, expect, it } from "vitest";
import { checkAnswer, type Answerable } from "../../src/core/answer.ts";
import { LANGUAGES } from "../../src/core/language.ts";
import type { JsonObject } from "../../src/core/json.ts";
import type { Question } from "../../src/core/question.ts";
import { answerPage } from "../../src/pages/answer-page.tsx";
import { english } from "../../src/pages/english.tsx";
import { german } from "../../src/pages/german.tsx";
import { DEFAULT_LOOK, wordingOf } from "../../src/pages/look.ts";
import {
  APPLICATION,
  APPROVAL,
  CHOICE,
  EDITABLE,
  FORM,
  JSON_VALUE,
  MULTIPLE,
  OPEN,
  STRICT_CHOICE,
} from "./questions.ts";
import { settled, waiting, wordsOf } from "./rendered.ts";

const AT = "2026-12-01T10:30:00.000Z";
const GERMAN = { language: "de" } as const;

/** All of core's words for an answer that does not fit. */
function messagesOf(answerable: Answerable, answer: unknown): readonly string[] {
  const checked = checkAnswer(answerable, answer);
  return checked.ok ? [] : checked.issues.map(({ message }) => message);
}

function byValue(answerSchema: JsonObject | boolean, value: unknown): readonly string[] {
  const question = { question: "?", allowText: false, answerSchema };
  return messagesOf({ kind: "tool", question }, { value });
}

/** What each keyword says of a value that it refuses. */
const REFUSED: readonly (readonly [JsonObject, unknown])[] = [
  [{ type: "string" }, 1],
  [{ type: ["string", "null"] }, 1],
  [{ const: "I agree" }, "no"],
  [{ const: 3 }, 1],
  [{ enum: ["a", "b c"] }, "z"],
  [{ required: ["a b"] }, {}],
  [{ dependentRequired: { a: ["b"] } }, { a: 1 }],
  [{ minimum: 5 }, 1],
  [{ maximum: 5 }, 9],
  [{ exclusiveMinimum: 5 }, 5],
  [{ exclusiveMaximum: 5 }, 5],
  [{ multipleOf: 5 }, 7],
  [{ minLength: 3 }, "a"],
  [{ maxLength: 3 }, "abcd"],
  [{ minItems: 2 }, []],
  [{ maxItems: 1 }, [1, 2]],
  [{ minProperties: 1 }, {}],
  [{ maxProperties: 0 }, { a: 1 }],
  [{ format: "email" }, "x"],
  [{ pattern: "^a$" }, "b"],
  [{ uniqueItems: true }, [1, 1]],
  [{ propertyNames: { maxLength: 1 } }, { ab: 1 }],
  [{ contains: { const: 1 } }, [2]],
  [{ contains: { const: 1 }, minContains: 2 }, [1]],
  [{ contains: { const: 1 }, maxContains: 1 }, [1, 1]],
  [{ anyOf: [{ type: "string" }, { type: "null" }] }, 1],
  [{ oneOf: [{ type: "number" }, { minimum: 0 }] }, 1],
  [{ not: { type: "number" } }, 1],
  [{ additionalProperties: false }, { a: 1 }],
  [{ items: false }, [1]],
];

describe("German", () => {
  it("has words of its own for all that core says of a value", () => {
    const messages = REFUSED.flatMap(([schema, value]) => byValue(schema, value));
    expect(messages.length).toBeGreaterThanOrEqual(REFUSED.length);
    const person = { question: "?", allowText: false, options: CHOICE.options ?? [] };
    const form = { questions: FORM.questions ?? [] };
    const deep = JSON.parse(`${"[".repeat(70)}${"]".repeat(70)}`) as unknown;
    const scope = (value: unknown) => ({ answers: { "Which scope should be used?": value } });
    messages.push(
      ...byValue(false, 1),
      ...byValue(true, deep),
      ...byValue(true, "x".repeat(1_100_000)),
      ...messagesOf({ kind: "person", question: person }, { option: "approve", text: " " }),
      ...messagesOf({ kind: "person", question: person }, { option: "approve", text: "\ud800" }),
      ...messagesOf({ kind: "form", request: form }, scope(["Focused", "Broad"])),
      ...messagesOf({ kind: "form", request: form }, scope(["Focused", "other"])),
      ...messagesOf({ kind: "form", request: form }, scope([])),
      ...messagesOf({ kind: "form", request: form }, {}),
      ...messagesOf(
        { kind: "approval", editable: false, checkInput: () => [] },
        { approved: true, input: {} },
      ),
      ...messagesOf(
        { kind: "approval", editable: false, checkInput: () => [] },
        { approved: false, reason: "x".repeat(5_000) },
      ),
      "the tool is no longer there",
      "must be shorter: with its question it takes more than 1900000 bytes",
      "takes too long to check against its schema: make it smaller",
      "can't be checked: its schema is not one that can be used",
      "is not a button of this form",
    );
    const unsaid = messages.filter((message) => german.issue(message).includes(message));
    expect(unsaid).toEqual([]);
  });

  it("keeps what the words hold", () => {
    expect(german.issue("must be at least 3 characters")).toBe(
      "Schreiben Sie mindestens 3 Zeichen.",
    );
    expect(german.issue('must be one of ["a","$1"]')).toBe(
      'Das muss eines hiervon sein: ["a","$1"]',
    );
    expect(german.issue('must be "I agree"')).toBe('Das muss "I agree" sein.');
  });

  it("hands on what a tool's own check says, as that tool's words", () => {
    expect(german.issue("Invalid email address")).toBe(
      "Das wird so nicht angenommen: Invalid email address",
    );
    expect(english.issue("Invalid email address")).toBe("Invalid email address.");
  });

  it("stands alone on every page: no English word of ours is left on it", () => {
    const answered = {
      status: "answered",
      answeredBy: "ada",
      answeredAt: AT,
      answeredVia: "page",
    } as const;
    const issues = [
      { path: "", message: "must have an option" },
      { path: "reason", message: "must be at most 4096 characters" },
    ];
    const all = [CHOICE, STRICT_CHOICE, MULTIPLE, OPEN, FORM, APPROVAL, EDITABLE, JSON_VALUE];
    const pages = [
      ...[...all, APPLICATION].flatMap((question) => [
        waiting({ ...question, to: "ada", expiresAt: AT }, { issues }, GERMAN),
        waiting(question, { isStale: true }, GERMAN),
      ]),
      settled(
        { ...CHOICE, ...answered, late: true, answer: { option: "deny" } },
        "recorded",
        GERMAN,
      ),
      settled(
        { ...EDITABLE, ...answered, answer: { approved: true, input: {} } },
        "refused",
        GERMAN,
      ),
      settled({ ...APPROVAL, ...answered, answer: { approved: false } }, undefined, GERMAN),
      settled({ ...OPEN, ...answered, status: "declined", reason: "x" }, undefined, GERMAN),
      settled({ ...OPEN, status: "cancelled" }, undefined, GERMAN),
      settled({ ...OPEN, status: "expired", expiresAt: AT }, undefined, GERMAN),
      settled(
        { ...OPEN, ...answered, answeredBy: "default", answeredVia: "default" },
        undefined,
        GERMAN,
      ),
      settled({ ...OPEN, ...answered, answeredBy: "link" }, undefined, GERMAN),
      ...Object.keys(english.notices).map((name) =>
        answerPage({ name: name as keyof typeof english.notices }, { ...DEFAULT_LOOK, ...GERMAN }),
      ),
    ];
    const shared = new Set(textsOf(german));
    const ours = textsOf(english).filter((text) => text.length > 5 && !shared.has(text));
    expect(ours.length).toBeGreaterThan(80);
    const own = JSON.stringify([...all, APPLICATION]);
    for (const page of pages) {
      expect(page).toContain('<html lang="de">');
      const words = wordsOf(page);
      expect(ours.filter((text) => words.includes(text) && !own.includes(text))).toEqual([]);
      for (const label of page.matchAll(/aria-label="([^"]*)"/g))
        expect(ours).not.toContain(label[1]);
    }
  });

  it("says how a question ended in sentences of its own", () => {
    const ended = (question: Partial<Question>) => {
      const page = settled({ ...OPEN, ...question }, undefined, GERMAN);
      return /Diese Frage [^]*?\./.exec(wordsOf(page).replaceAll(/(\d)\. /g, "$1 "))?.[0];
    };
    const by = { answeredBy: "ada", answeredAt: AT, answeredVia: "email" } as const;
    expect(ended({ ...by, status: "answered", answer: { text: "x" } })).toBe(
      "Diese Frage wurde von ada am 1 Dezember 2026 um 10:30 UTC per E-Mail beantwortet.",
    );
    expect(ended({ ...by, status: "declined", answeredBy: "link" })).toBe(
      "Diese Frage wurde über den Link am 1 Dezember 2026 um 10:30 UTC zurückgewiesen.",
    );
    expect(ended({ status: "cancelled" })).toBe("Diese Frage wurde zurückgezogen.");
    expect(ended({ status: "expired", expiresAt: AT })).toBe(
      "Diese Frage ist am 1 Dezember 2026 um 10:30 UTC abgelaufen, weil rechtzeitig keine Antwort kam.",
    );
  });
});

it("says the state of a question in a word of the wire as well, whatever the language", () => {
  for (const language of LANGUAGES)
    expect(settled({ ...OPEN, status: "cancelled" }, undefined, { language })).toContain(
      'data-status="cancelled"',
    );
});

it("says bounds as people say them", () => {
  const words = wordingOf("en");
  expect(words.lengthHint({ min: 3, max: 3 })).toBe("3 characters.");
  expect(words.itemsHint({ min: 1 })).toBe("At least 1 item.");
  expect(words.numberHint({ above: 0, step: 0.5 })).toBe("More than 0, in steps of 0.5.");
  expect(wordingOf("de").numberHint({ min: 0.5, max: 12 })).toBe("0,5 bis 12.");
  expect(wordingOf("de").itemsHint({ min: 1 })).toBe("Mindestens 1 Eintrag.");
});

function textsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}
