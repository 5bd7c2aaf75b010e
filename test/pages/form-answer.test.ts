import { describe, expect, it } from "vitest";
import { fieldOfIssue, formToAnswer } from "../../src/pages/form-answer.ts";
import type { Question } from "../../src/core/question.ts";
import { APPROVAL, CHOICE, FORM, MULTIPLE, OPEN, PLAIN_VALUE, VALUE } from "./questions.ts";

/** What the fields, written as a browser sends them, give. */
function answerOf(question: Question, fields: string): unknown {
  return formToAnswer(question, new URLSearchParams(fields));
}

describe("a choice", () => {
  it("is the option's id, with the note where there is one", () => {
    expect(answerOf(CHOICE, "option=approve&text=")).toEqual({ option: "approve" });
    expect(answerOf(CHOICE, "option=approve&text=Fine.&reason=&action=answer")).toEqual({
      option: "approve",
      text: "Fine.",
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
    expect(formToAnswer(OPEN, posted)).toEqual({});
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
  it("is read as JSON", () => {
    expect(answerOf(VALUE, "value=%7B%22low%22%3A1%7D")).toEqual({ value: { low: 1 } });
    expect(answerOf(VALUE, "value=null")).toEqual({ value: null });
  });

  it("is left out where it is blank or no JSON", () => {
    expect(answerOf(VALUE, "value=+")).toEqual({});
    expect(answerOf(VALUE, "value=%7B")).toEqual({});
  });

  it("is the text itself where the schema takes a string", () => {
    expect(answerOf(PLAIN_VALUE, "value=47")).toEqual({ value: "47" });
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
    expect(place(VALUE, "value.low")).toBe("value");
    expect(place(APPROVAL, "reason")).toBe("reason");
    expect(place(FORM, "response")).toBe("response");
    expect(place(FORM, 'answers["Which scope should be used?"]')).toBe("q0");
    expect(place(FORM, 'answers["Which outputs do you need?"][1]')).toBe("q1");
    expect(place(FORM, "answers")).toBe("");
    expect(place(CHOICE, "")).toBe("");
  });
});
