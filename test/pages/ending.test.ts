import { describe, expect, it } from "vitest";
import type { Json } from "../../src/core/json.ts";
import type { Question } from "../../src/core/question.ts";
import { answerPage } from "../../src/pages/answer-page.tsx";
import {
  APPLICATION,
  APPROVAL,
  CHOICE,
  EDITABLE,
  FORM,
  JSON_VALUE,
  MULTIPLE,
  OPEN,
  PLAIN_VALUE,
  VALUE,
} from "./questions.ts";
import { count, settled, waiting, wordsOf } from "./rendered.ts";

const AT = "2026-12-01T10:30:00.000Z";
const ANSWERED = {
  status: "answered",
  answeredBy: "ada@example.com",
  answeredAt: AT,
  answeredVia: "page",
} as const;

describe("the page of a settled question", () => {
  it("says the word, by whom, when and where, and shows what was given", () => {
    const question: Question = {
      ...CHOICE,
      ...ANSWERED,
      answer: { option: "approve", text: "Fine." },
    };
    const words = wordsOf(settled(question));
    expect(words).toContain(
      "This question was answered by ada@example.com on 1 December 2026 at 10:30 UTC, on this page.",
    );
    expect(words).toContain("Approve");
    expect(words).toContain("Fine.");
    expect(settled(question)).not.toContain("<form");
  });

  it("says it for each way to end", () => {
    const { answeredAt: _, answeredBy: __, answeredVia: ___, ...open } = { ...OPEN, ...ANSWERED };
    const declined: Question = {
      ...OPEN,
      ...ANSWERED,
      status: "declined",
      reason: "Not mine.",
      answeredVia: "email",
    };
    expect(wordsOf(settled(declined))).toContain(
      "was declined by ada@example.com on 1 December 2026 at 10:30 UTC, by email.",
    );
    expect(wordsOf(settled(declined))).toContain("Not mine.");
    const history = [{ at: AT, event: "question.cancelled", by: "the caller" }];
    expect(wordsOf(settled({ ...open, status: "cancelled", history }))).toContain(
      "was cancelled by the caller on 1 December 2026",
    );
    expect(wordsOf(settled({ ...open, status: "expired", expiresAt: AT }))).toContain(
      "has expired, since no answer came in time.",
    );
  });

  it("names nobody where nobody is named", () => {
    const through = (answeredBy: string, answeredVia: "page" | "default") =>
      wordsOf(
        settled({ ...CHOICE, ...ANSWERED, answeredBy, answeredVia, answer: { option: "deny" } }),
      );
    expect(through("link", "page")).toContain(
      "was answered through the link on 1 December 2026 at 10:30 UTC.",
    );
    expect(through("default", "default")).toContain("was answered by default, since nobody did on");
  });

  it("tells one who just sent it that it is recorded, or that another was before", () => {
    const question: Question = { ...CHOICE, ...ANSWERED, answer: { option: "approve" } };
    expect(wordsOf(settled(question, "recorded"))).toContain("Recorded. Thank you.");
    expect(wordsOf(settled(question, "refused"))).toContain("Yours was not recorded");
    expect(wordsOf(settled(question))).not.toContain("recorded");
  });

  it("shows a form's answers under its questions, and an approval's decision", () => {
    const answer = {
      answers: {
        "Which scope should be used?": "Both",
        "Which outputs do you need?": ["Code", "Docs"],
      },
      response: "Go on.",
    };
    const form = settled({ ...FORM, ...ANSWERED, answer });
    expect(form).toContain('<dd class="words" dir="auto"><bdi>Both</bdi></dd>');
    expect(count(form, /<dd class="picked"/g)).toBe(2);
    expect(wordsOf(form)).toContain("Go on.");
    const denied = wordsOf(
      settled({ ...APPROVAL, ...ANSWERED, answer: { approved: false, reason: "Wrong address." } }),
    );
    expect(denied).toContain("Denied");
    expect(denied).toContain("Wrong address.");
    expect(
      wordsOf(
        settled({ ...APPROVAL, ...ANSWERED, answer: { approved: true, input: { to: "b" } } }),
      ),
    ).toContain('"to": "b"');
  });

  it("shows a value under the names of its form, a text as text, and all else as JSON", () => {
    const given = (question: Question, value: Json) =>
      wordsOf(settled({ ...question, ...ANSWERED, answer: { value } }));
    expect(given(VALUE, { low: 1, high: 2 })).toContain("Low1High2");
    const value = {
      purpose: "house",
      insured: true,
      papers: ["Payslip", "Contract"],
      address: { street: "High Street", city: "Ely" },
      instalments: [{ month: 1 }],
    };
    const words = given(APPLICATION, value);
    expect(words).toContain("PurposeA houseInsured?YesPapers seenPayslip Contract");
    expect(words).toContain("Address · StreetHigh StreetAddress · CityEly");
    expect(words).toContain('[{"month":1}]');
    expect(given(VALUE, { low: 1, more: 2 })).toContain('"more": 2');
    expect(given(JSON_VALUE, [{ after: 1 }])).toContain('"after": 1');
    expect(settled({ ...PLAIN_VALUE, ...ANSWERED, answer: { value: "Zoë" } })).toContain(
      '<p class="words" dir="auto">Zoë</p>',
    );
  });

  it("says that an answer came late", () => {
    expect(wordsOf(settled({ ...OPEN, ...ANSWERED, late: true, answer: { text: "x" } }))).toContain(
      "after the agent had stopped waiting",
    );
  });
});

describe("what a model or a person wrote", () => {
  const HOSTILE =
    '</style></title></textarea><script>alert(1)</script><img src=x onerror="alert(1)">\u202E&lt;';

  function hostile(question: Question): Question {
    return JSON.parse(
      JSON.stringify(question, (key, value: unknown) =>
        typeof value === "string" &&
        [
          "question",
          "label",
          "description",
          "context",
          "header",
          "agent",
          "to",
          "toolName",
          "title",
          "reason",
          "answeredBy",
          "text",
        ].includes(key)
          ? HOSTILE
          : value,
      ),
    ) as Question;
  }

  it("is never markup, in any state of any kind of question", () => {
    const all = [CHOICE, MULTIPLE, OPEN, FORM, APPROVAL, EDITABLE, VALUE, APPLICATION, JSON_VALUE];
    const states = all.flatMap((question) => {
      const bad = hostile({ ...question, to: "x", context: "x" });
      const typed = { getAll: () => [HOSTILE] };
      const answer = {
        option: HOSTILE,
        options: [HOSTILE],
        text: HOSTILE,
        value: HOSTILE,
        reason: HOSTILE,
        response: HOSTILE,
      };
      return [
        waiting(bad, { typed, issues: [{ path: "text", message: HOSTILE }] }),
        settled(hostile({ ...bad, ...ANSWERED, answer, reason: "x" })),
      ];
    });
    for (const html of states) {
      expect(html).not.toContain("<script");
      expect(html).not.toContain("<img");
      expect(count(html, /<\/title>/g)).toBe(1);
      expect(count(html, /<\/style>/g)).toBe(1);
    }
  });

  it("is isolated wherever it stands beside words of ours", () => {
    const html = waiting({ ...CHOICE, agent: "\u202Eagent", to: "\u202Eto" });
    expect(html).toContain("<bdi>\u202Eagent</bdi>");
    expect(html).toContain("<bdi>\u202Eto</bdi>");
    expect(html).toContain('<span class="name" id="option-0-name" dir="auto">');
    expect(waiting({ ...OPEN, question: "a\u202Eb\nc" })).toContain(
      "<title>a b c · Holdpoint</title>",
    );
  });
});

describe("a page without a question", () => {
  const NAMES = [
    "notFound",
    "expired",
    "tooManyTries",
    "foreignOrigin",
    "wrongMethod",
    "tooLarge",
    "unreadable",
    "notConfigured",
    "unavailable",
    "failed",
  ] as const;

  it("says what can be done, each in words of its own", () => {
    const pages = NAMES.map((name) => answerPage({ name }));
    expect(new Set(pages).size).toBe(NAMES.length);
    for (const html of pages) {
      expect(count(html, /<h1>/g)).toBe(1);
      expect(html).not.toContain("<form");
    }
    expect(wordsOf(answerPage({ name: "expired" }))).toContain("This link has expired");
  });
});
