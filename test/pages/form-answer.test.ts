import { describe, expect, it } from "vitest";
import { formToAnswer } from "../../src/pages/form-answer.ts";
import { fieldOfIssue } from "../../src/pages/issue-words.ts";
import type { Question } from "../../src/core/question.ts";
import {
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
import { waiting, wordsOf } from "./rendered.ts";

/** A number's control in a page, and what stands in it. */
const SHOWN_NUMBER = /name="(input[_0-9]*)"[^>]*type="number" value="([^"]*)"/g;

/** What the fields, written as a browser sends them, give. */
function answerOf(question: Question, fields: string): unknown {
  const answer = formToAnswer(question, new URLSearchParams(fields));
  if (!answer.ok) throw new Error(`nothing can be read: ${JSON.stringify(answer.issues)}`);
  return answer.value;
}

describe("a choice", () => {
  it("is the option's id, with the note where there is one", () => {
    expect(answerOf(CHOICE, "option=approve&text=")).toEqual({ option: "approve" });
    expect(answerOf(CHOICE, "option=approve&text=Fine.&reason=&action=answer")).toEqual({
      option: "approve",
      text: "Fine.",
    });
  });

  it("is no choice where one may be chosen and several are: core refuses them", () => {
    expect(answerOf(CHOICE, "option=deny&option=approve&text=x")).toEqual({
      options: ["deny", "approve"],
      text: "x",
    });
    expect(answerOf(CHOICE, "option=&option=deny&option=deny")).toEqual({ option: "deny" });
    expect(answerOf(FORM, "q0=1&q0=0&q1=0")).toEqual({
      answers: {
        "Which scope should be used?": ["Focused", "Broad"],
        "Which outputs do you need?": ["Code"],
      },
    });
  });

  it("is text alone where no option is chosen", () => {
    expect(answerOf(CHOICE, "text=Ask+again")).toEqual({ text: "Ask again" });
  });

  it("leaves out what is blank", () => {
    expect(answerOf(CHOICE, "option=&text=+%0D%0A+")).toEqual({});
    expect(answerOf(OPEN, "text=%20")).toEqual({});
    expect(answerOf(MULTIPLE, "options=&text=")).toEqual({});
  });

  it("is a list of ids where several may be chosen, even of one", () => {
    expect(answerOf(MULTIPLE, "options=payslip&options=passport&text=soon")).toEqual({
      options: ["payslip", "passport"],
      text: "soon",
    });
    expect(answerOf(MULTIPLE, "options=payslip")).toEqual({ options: ["payslip"] });
  });

  it("hands on an id that is none of the question's, for core to refuse", () => {
    expect(answerOf(CHOICE, "option=hold")).toEqual({ option: "hold" });
  });

  it("has the line ends of every other door", () => {
    expect(answerOf(OPEN, "text=one%0D%0Atwo")).toEqual({ text: "one\ntwo" });
  });

  it("takes no file for a text", () => {
    const posted = new FormData();
    posted.set("text", new Blob(["from a file"]), "answer.txt");
    expect(formToAnswer(OPEN, posted)).toEqual({ ok: true, value: {} });
  });
});

describe("a form", () => {
  it("is labels by the texts of their questions", () => {
    expect(answerOf(FORM, "q0=0&q0_other=&q1=0&q1=1&q1_other=&response=")).toEqual({
      answers: {
        "Which scope should be used?": "Focused",
        "Which outputs do you need?": ["Code", "Docs"],
      },
    });
  });

  it("is free text where nothing is chosen", () => {
    expect(answerOf(FORM, "q0=&q0_other=Both&q1_other=A+diagram")).toEqual({
      answers: { "Which scope should be used?": "Both", "Which outputs do you need?": "A diagram" },
    });
  });

  it("keeps a choice and free text together, so that core refuses both and drops neither", () => {
    expect(answerOf(FORM, "q0=1&q0_other=Both")).toEqual({
      answers: { "Which scope should be used?": ["Broad", "Both"] },
    });
  });

  it("has a reply to the whole, with what was answered beside it", () => {
    expect(answerOf(FORM, "q1=1&response=Ask+me+later")).toEqual({
      answers: { "Which outputs do you need?": ["Docs"] },
      response: "Ask me later",
    });
  });

  it("takes a place that no option has for no choice", () => {
    expect(answerOf(FORM, "q0=7&q1=__proto__")).toEqual({ answers: {} });
  });

  it("answers a question that is called __proto__", () => {
    const [first] = FORM.questions ?? [];
    const question: Question = {
      ...FORM,
      questions: first === undefined ? [] : [{ ...first, question: "__proto__" }],
    };
    expect(JSON.stringify(answerOf(question, "q0=0"))).toBe('{"answers":{"__proto__":"Focused"}}');
  });
});

describe("an approval", () => {
  it("is what its button says", () => {
    expect(answerOf(APPROVAL, "action=approve&reason=")).toEqual({ approved: true });
    expect(answerOf(APPROVAL, "action=deny&reason=Wrong+address")).toEqual({
      approved: false,
      reason: "Wrong address",
    });
    expect(answerOf(APPROVAL, "action=deny")).toEqual({ approved: false });
  });

  it("is nothing without a button of its own", () => {
    for (const fields of ["", "action=answer", "action=yes", "approved=true"])
      expect(answerOf(APPROVAL, fields)).toEqual({});
  });
});

describe("a value", () => {
  it("is read from the controls of its properties, by their places", () => {
    expect(answerOf(VALUE, "value_0=1&value_1=2.5")).toEqual({ value: { low: 1, high: 2.5 } });
    expect(answerOf(VALUE, "value_0=&value_1=2")).toEqual({ value: { high: 2 } });
    expect(answerOf(VALUE, "")).toEqual({ value: {} });
  });

  it("is the text itself where the schema takes a string", () => {
    expect(answerOf(PLAIN_VALUE, "value=47")).toEqual({ value: "47" });
    expect(answerOf(PLAIN_VALUE, "value=+")).toEqual({});
  });

  it("is read as JSON where no control can say it", () => {
    expect(answerOf(JSON_VALUE, "value=%5B%7B%22after%22%3A1%7D%5D")).toEqual({
      value: [{ after: 1 }],
    });
    expect(answerOf(JSON_VALUE, "value=null")).toEqual({ value: null });
    expect(answerOf(JSON_VALUE, "value=+")).toEqual({});
  });

  it("is not there where what should be JSON is none", () => {
    expect(formToAnswer(JSON_VALUE, new URLSearchParams("value=%7B"))).toEqual({
      ok: false,
      issues: [{ path: "value", message: "must be JSON" }],
    });
  });
});

describe("an approval whose arguments may be changed", () => {
  const unchanged = new URLSearchParams({
    action: "approve",
    input_0: "ada@example.com",
    input_1: "Dear Ada,\r\n\r\nyour loan is approved.",
    input_2: "1",
    input_3: "false",
    input_4: "loans",
    input_5: '[{"after": 1}]',
  });

  function changed(fields: Record<string, string>): URLSearchParams {
    return new URLSearchParams({ ...Object.fromEntries(unchanged), ...fields });
  }

  it("has no input where nothing was changed, and where nothing but the button was sent", () => {
    expect(answerOf(EDITABLE, unchanged.toString())).toEqual({ approved: true });
    expect(answerOf(EDITABLE, "action=approve")).toEqual({ approved: true });
  });

  it("has all arguments where one was changed, each of its own type", () => {
    const fields = changed({ input_0: "", input_2: "2", input_3: "true", input_4: "a\r\n b" });
    expect(answerOf(EDITABLE, fields.toString())).toEqual({
      approved: true,
      input: {
        to: "",
        body: "Dear Ada,\n\nyour loan is approved.",
        copies: 2,
        urgent: true,
        labels: ["a", "b"],
        steps: [{ after: 1 }],
      },
    });
  });

  it("changes nothing by a field that says nothing", () => {
    for (const [fields, path, message] of [
      [{ input_2: "" }, "input.copies", "must be of type number"],
      [{ input_2: "two" }, "input.copies", "must be of type number"],
      [{ input_5: "" }, "input.steps", "must be JSON"],
      [{ input_5: "[" }, "input.steps", "must be JSON"],
    ] as const)
      expect(formToAnswer(EDITABLE, changed(fields))).toEqual({
        ok: false,
        issues: [{ path, message }],
      });
  });

  it("is approved as it stands, however large its numbers are", () => {
    for (const number of [9_007_199_254_740_992, -9_007_199_254_740_994, 1_234_567_890_123_456_800])
      for (const args of [{ id: number, ids: [number] }, number] as const) {
        const question = { ...EDITABLE, arguments: args };
        const fields = [...waiting(question).matchAll(SHOWN_NUMBER)].map(
          ([, name = "", shown = ""]): [string, string] => [name, shown],
        );
        expect(fields).toContainEqual([args === number ? "input" : "input_0", String(number)]);
        const sent = new URLSearchParams([["action", "approve"], ...fields]);
        expect(answerOf(question, sent.toString())).toEqual({ approved: true });
      }
  });

  it("asks nothing of the arguments of a call that is denied", () => {
    expect(answerOf(EDITABLE, "action=deny&input_5=[")).toEqual({ approved: false });
  });

  it("offers no change of arguments that are too long for a form to be sent", () => {
    const long = { ...EDITABLE, arguments: { body: "x".repeat(300_000) } };
    expect(answerOf(long, "action=approve&input_0=y")).toEqual({ approved: true });
    expect(waiting(EDITABLE)).toContain('name="input_0"');
    expect(waiting(long)).not.toContain('name="input');
    expect(wordsOf(waiting(long))).toContain("exactly these arguments");
  });

  it("gives each text back as it was, seen or unseen", () => {
    for (const text of [
      "\n",
      " a ",
      "a\r\nb",
      "\0",
      "\ud800",
      "\u202e",
      "\u2028",
      "<b>&amp;",
      "👩‍🚀",
    ]) {
      const question = { ...EDITABLE, arguments: { text, list: [text] } };
      const page = waiting(question);
      const shown = /name="input_0"[^>]*>\n([^]*?)<\/textarea>/.exec(page)?.[1] ?? "";
      const unescaped = shown
        .replaceAll("&lt;", "<")
        .replaceAll("&gt;", ">")
        .replaceAll("&quot;", '"')
        .replaceAll("&amp;", "&");
      // What a browser makes of it on its way.
      const sent = unescaped
        .replaceAll(/\r\n?|\n/g, "\r\n")
        .replaceAll("\0", "\ufffd")
        .toWellFormed();
      expect(answerOf(question, `action=approve&input_0=${encodeURIComponent(sent)}`)).toEqual({
        approved: true,
      });
    }
  });

  it("changes nothing of an approval whose arguments are fixed", () => {
    expect(answerOf(APPROVAL, "action=approve&input_0=mallory")).toEqual({ approved: true });
  });
});

describe("an issue", () => {
  it("belongs to the field from which the refused part came", () => {
    const place = (question: Question, path: string) =>
      fieldOfIssue(question, { path, message: "is wrong" });
    expect(place(CHOICE, "option")).toBe("option");
    expect(place(MULTIPLE, "options[1]")).toBe("options");
    expect(place(MULTIPLE, "option")).toBe("options");
    expect(place(CHOICE, "text")).toBe("text");
    expect(place(VALUE, "value.low")).toBe("value_0");
    expect(place(VALUE, "value.high[0].x")).toBe("value_1");
    expect(place(VALUE, "value")).toBe("value");
    expect(place(VALUE, "value.lowest")).toBe("value");
    expect(place(EDITABLE, "input.labels.0")).toBe("input_4");
    expect(place(APPROVAL, "reason")).toBe("reason");
    expect(place(FORM, "response")).toBe("response");
    expect(place(FORM, 'answers["Which scope should be used?"]')).toBe("q0");
    expect(place(FORM, 'answers["Which outputs do you need?"][1]')).toBe("q1");
    expect(place(FORM, "answers")).toBe("");
    expect(place(CHOICE, "")).toBe("");
  });
});
