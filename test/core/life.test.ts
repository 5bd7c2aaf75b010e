import { describe, expect, it } from "vitest";
import { z } from "zod";
import { issuesOf } from "../../src/core/issue.ts";
import {
  checkTerms,
  endingSettlement,
  expiresAt,
  nextDue,
  type Life,
  type LifeEvent,
  type Terms,
  termsOf,
  termsShape,
} from "../../src/core/life.ts";
import { ESCALATIONS, REMINDERS } from "../../src/core/limits.ts";
import type { TaskContent } from "../../src/core/task.ts";

type Question = Exclude<TaskContent, { kind: "background" }>;

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const schema = z.strictObject(termsShape);

const CHOICE: Question = {
  kind: "person",
  question: {
    question: "Approve?",
    options: [
      { id: "yes", label: "Yes" },
      { id: "no", label: "No" },
    ],
    multiple: false,
    allowText: false,
  },
};
const APPROVAL: Question = { kind: "approval", toolName: "pay", input: {}, editable: true };
const FORM: Question = {
  kind: "form",
  request: {
    questions: [
      {
        question: "Which?",
        header: "Which",
        options: [
          { label: "A", description: "a" },
          { label: "B", description: "b" },
        ],
        multiSelect: false,
      },
    ],
  },
};
const VALUE: Question = {
  kind: "tool",
  question: { question: "How many?", allowText: false, answerSchema: { type: "integer" } },
};

function issues(terms: object): readonly string[] {
  const parsed = schema.safeParse(terms);
  return parsed.success
    ? []
    : issuesOf(parsed.error).map(({ path, message }) => `${path}: ${message}`);
}

describe("terms", () => {
  it("are read from durations with their units", () => {
    expect(
      schema.parse({
        remind: ["4h", "1d"],
        escalate: [{ after: "2d", to: " lead " }],
        expire: { after: "5d", then: "deny" },
      }),
    ).toEqual({
      remind: [4 * HOUR, DAY],
      escalate: [{ after: 2 * DAY, to: "lead" }],
      expire: { after: 5 * DAY, ending: "deny" },
    });
    expect(schema.parse({ expire: { after: "1s" } }).expire?.ending).toBe("timeout");
  });

  it.each([
    [{ remind: ["999ms"] }, "remind[0]: must be from 1s to 366d"],
    [{ remind: ["367d"] }, "remind[0]: must be from 1s to 366d"],
    [{ remind: ["31622400001ms"] }, "remind[0]: must be from 1s to 366d"],
    [{ remind: ["999999999999ms"] }, "remind[0]: must be from 1s to 366d"],
    [{ remind: ["1000"] }, "remind[0]: must be a whole number with its unit"],
    [{ remind: [4] }, "remind[0]: must be a string"],
    [{ remind: "4h" }, `remind: must be a list of 0 to ${REMINDERS}`],
    [{ remind: ["1d", "24h"] }, "remind: must name no time twice"],
    [
      { remind: Array.from({ length: REMINDERS + 1 }, (_, i) => `${i + 1}h`) },
      "remind: must be a list",
    ],
    [{ escalate: [{ after: "1h" }] }, "escalate[0].to: is missing"],
    [{ escalate: [{ after: "1h", to: " " }] }, "escalate[0].to: must be 1 to 64 characters"],
    [{ escalate: [{ to: "lead" }] }, "escalate[0].after: is missing"],
    [
      { escalate: Array.from({ length: ESCALATIONS + 1 }, () => ({ after: "1h", to: "a" })) },
      "escalate: must be a list",
    ],
    [{ expire: { then: "deny" } }, "expire.after: is missing"],
    [{ expire: { after: "1h", then: "approve" } }, 'expire.then: must be "timeout", "deny"'],
    [{ expire: { after: "1h", then: {} } }, "expire.then.answer: must be given"],
    [
      { expire: { after: "1h", then: { answer: 1, by: 2 } } },
      'expire.then: "by" is not a known field',
    ],
    [{ expire: { after: "1h", than: "deny" } }, 'expire: "than" is not a known field'],
  ])("refuse %j with what to mend", (terms, message) => {
    expect(issues(terms).join("\n")).toContain(message);
  });

  it("take 366 days and the smallest and the largest lists", () => {
    expect(issues({ remind: ["366d"], escalate: [] })).toEqual([]);
    expect(issues({ remind: ["31622400000ms", "1000000000ms"] })).toEqual([]);
    expect(issues({ remind: Array.from({ length: REMINDERS }, (_, i) => `${i + 1}h`) })).toEqual(
      [],
    );
  });
});

describe("checkTerms", () => {
  const checked = (question: Question, then: unknown) =>
    checkTerms(question, schema.parse({ expire: { after: "1h", then } }));

  it("takes a default answer that fits its question, in its normal form", () => {
    expect(checked(CHOICE, { answer: { option: "no", text: " late " } })).toEqual({
      ok: true,
      value: { expire: { after: HOUR, ending: { answer: { option: "no", text: "late" } } } },
    });
    expect(checked(VALUE, { answer: { value: 3 } })).toMatchObject({ ok: true });
    expect(checked(FORM, { answer: { response: "As you like." } })).toMatchObject({ ok: true });
    expect(checked(APPROVAL, { answer: { approved: false, reason: "Late." } })).toMatchObject({
      ok: true,
    });
    expect(checked(APPROVAL, "deny")).toMatchObject({ ok: true });
  });

  it.each([
    [CHOICE, { answer: { option: "maybe" } }, "expire.then.answer.option"],
    [CHOICE, { answer: { text: "No." } }, "expire.then.answer.text"],
    [CHOICE, { answer: { approved: true } }, "expire.then.answer.approved"],
    [VALUE, { answer: { value: "three" } }, "expire.then.answer.value"],
    [FORM, { answer: {} }, 'expire.then.answer.answers["Which?"]'],
    [APPROVAL, { answer: { approved: true, input: {} } }, "expire.then.answer.input"],
    [CHOICE, { answer: { text: "x".repeat(64 * 1024) } }, "expire.then.answer"],
    [CHOICE, "deny", "expire.then"],
    [FORM, "deny", "expire.then"],
    [VALUE, "deny", "expire.then"],
  ])("refuses an end that does not fit: %#", (question, then, path) => {
    const found = checked(question, then);
    expect(found).toMatchObject({ ok: false });
    expect(!found.ok && found.issues[0]?.path).toBe(path);
  });
});

describe("termsOf", () => {
  const agent = schema.parse({
    remind: ["1d", "4h"],
    escalate: [
      { after: "2d", to: "head" },
      { after: "1d", to: "lead" },
    ],
    expire: { after: "5d", then: { answer: { option: "no" } } },
  });

  it("takes an agent's terms, in the order of their times", () => {
    expect(termsOf(CHOICE, {}, agent)).toEqual({
      remind: [4 * HOUR, DAY],
      escalate: [
        { after: DAY, to: "lead" },
        { after: 2 * DAY, to: "head" },
      ],
      expire: { after: 5 * DAY, ending: { answer: { option: "no" } } },
    });
  });

  it("puts a question's own terms before its agent's, an empty list too", () => {
    const own: Terms = { remind: [], expire: { after: HOUR, ending: "timeout" } };
    expect(termsOf(CHOICE, own, agent)).toEqual({
      escalate: expect.any(Array),
      expire: { after: HOUR, ending: "timeout" },
    });
  });

  it("lets a question expire for which its agent's end is none", () => {
    for (const question of [FORM, APPROVAL, VALUE])
      expect(termsOf(question, {}, agent).expire).toEqual({ after: 5 * DAY, ending: "timeout" });
    const deny = schema.parse({ expire: { after: "1h", then: "deny" } });
    expect(termsOf(CHOICE, {}, deny).expire?.ending).toBe("timeout");
    expect(termsOf(APPROVAL, {}, deny).expire?.ending).toBe("deny");
  });

  it("leaves nothing where there are none", () => {
    expect(termsOf(CHOICE, {}, {})).toEqual({});
    expect(termsOf(CHOICE, {}, schema.parse({ remind: [], escalate: [] }))).toEqual({});
  });
});

describe("nextDue", () => {
  const terms: Terms = {
    remind: [HOUR, DAY],
    escalate: [{ after: DAY, to: "lead" }],
    expire: { after: DAY, ending: "timeout" },
  };

  it("names each thing once, in the order of time; of one time a reminder first, and the end last", () => {
    const happened: LifeEvent[] = [];
    const order: [string, number][] = [];
    for (;;) {
      const due = nextDue(1_000, { terms, events: happened });
      if (due === undefined) throw new Error("the end is due for ever");
      order.push([due.event, due.at - 1_000]);
      if (due.event === "question.expired") break;
      happened.push({ event: due.event, at: 0 });
    }
    expect(order).toEqual([
      ["question.reminded", HOUR],
      ["question.reminded", DAY],
      ["question.escalated", DAY],
      ["question.expired", DAY],
    ]);
  });

  it("is not moved by an assignment", () => {
    const life: Life = { terms, events: [{ event: "question.assigned", at: 5, to: "kim" }] };
    expect(nextDue(0, life)).toEqual(nextDue(0, { terms }));
  });

  it("knows nothing of a question without terms", () => {
    expect(nextDue(0, {})).toBeUndefined();
    expect(expiresAt(0, undefined)).toBeUndefined();
    expect(expiresAt(5, { terms })).toBe(5 + DAY);
  });
});

it("ends a question as its terms say, and calls nobody its answerer", () => {
  expect(endingSettlement("timeout")).toEqual({ status: "expired" });
  expect(endingSettlement("deny")).toEqual({
    status: "answered",
    answer: { approved: false },
    by: "default",
    via: "default",
  });
  expect(endingSettlement({ answer: { text: "Go." } })).toMatchObject({
    answer: { text: "Go." },
    by: "default",
  });
});
