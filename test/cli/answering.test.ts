import { expect, it } from "vitest";
import { answerByAsking, answerOfFlags } from "../../src/cli/answering.ts";
import { APPROVAL, CHOICE, FORM, MULTIPLE, OPEN, VALUE } from "../pages/questions.ts";

/** Types these lines, one after another. */
function typing(...lines: string[]) {
  return () => Promise.resolve(lines.shift() ?? expect.fail("it asks for more"));
}

it("takes an answer of each kind from flags", () => {
  const cases = [
    [CHOICE, { option: ["approve"] }, { option: "approve" }],
    [CHOICE, { option: ["approve"], text: "Fine." }, { option: "approve", text: "Fine." }],
    [MULTIPLE, { option: ["a", "b"] }, { options: ["a", "b"] }],
    [OPEN, { text: "We are sorry." }, { text: "We are sorry." }],
    [VALUE, { value: "7" }, { value: 7 }],
    [APPROVAL, { approve: true }, { approved: true }],
    [APPROVAL, { deny: true, reason: "No." }, { approved: false, reason: "No." }],
    [FORM, { text: "None of these." }, { response: "None of these." }],
    [APPROVAL, { answer: '{"approved":true,"input":{}}' }, { approved: true, input: {} }],
    [CHOICE, {}, undefined],
  ] as const;
  for (const [question, flags, answer] of cases)
    expect(answerOfFlags(flags, question)).toEqual(answer);
  expect(() => answerOfFlags({ value: "{" }, VALUE)).toThrow("this is no JSON");
});

it("asks for an option by its number or its id, and takes other words as a text", async () => {
  expect(await answerByAsking(CHOICE, typing("1"))).toEqual({ option: CHOICE.options?.[0]?.id });
  expect(await answerByAsking(CHOICE, typing("deny"))).toEqual({ option: "deny" });
  expect(await answerByAsking(CHOICE, typing("Later."))).toEqual({ text: "Later." });
  const [one, two] = MULTIPLE.options ?? [];
  expect(await answerByAsking(MULTIPLE, typing("1, 2"))).toEqual({ options: [one?.id, two?.id] });
});

it("asks for a text, a value, a yes, and each question of a form", async () => {
  expect(await answerByAsking(OPEN, typing("Sorry."))).toEqual({ text: "Sorry." });
  expect(await answerByAsking(VALUE, typing("7"))).toEqual({ value: 7 });
  expect(await answerByAsking(APPROVAL, typing("y"))).toEqual({ approved: true });
  expect(await answerByAsking(APPROVAL, typing("", ""))).toEqual({ approved: false });
  expect(await answerByAsking(APPROVAL, typing("no", "Call him."))).toEqual({
    approved: false,
    reason: "Call him.",
  });
  const questions = FORM.questions ?? [];
  const answer = await answerByAsking(FORM, typing(...questions.map(() => "1")));
  expect(answer).toEqual({
    answers: Object.fromEntries(
      questions.map(({ question, options, multiSelect }) => {
        const label = options[0]?.label;
        return [question, multiSelect ? [label] : label];
      }),
    ),
  });
});
