/**
 * Owns: how the demo model asks the underwriter, by whichever human tool it is given, and what it takes from the reply.
 * Does not own: when an underwriter is needed (`demo-model.ts`).
 */

import { isJsonObject, type JsonObject } from "../core/json.ts";
import { shorten } from "../core/text.ts";
import { lastOutcome, taskState, type Conversation } from "./demo-conversation.ts";
import { APPROVES_UP_TO_PERCENT, DECLINES_ABOVE_PERCENT } from "./loan-request.ts";

export interface Case {
  /** e.g. `APP-1008`, or `The application`. */
  readonly subject: string;
  readonly ratio: string;
  readonly income: number;
  readonly debt: number;
}

export interface ToolUse {
  readonly toolName: string;
  readonly input: JsonObject;
}

export type UnderwriterMove =
  | { readonly kind: "call"; readonly say: string; readonly call: ToolUse }
  /** What the underwriter decided, and by what words. */
  | {
      readonly kind: "decided";
      readonly approved: boolean;
      readonly by: string;
      readonly note: string;
    }
  /** Why there is no decision. */
  | { readonly kind: "undecided"; readonly why: string };

const NOTE_CHARACTERS = 1_000;
const NOBODY_KNOWN = "The underwriter";

/** Asks once, waits once: whatever comes of either is told, so that no reply makes the model ask without end. */
export function consultUnderwriter(
  conversation: Conversation,
  offered: ReadonlySet<string>,
  loan: Case,
): UnderwriterMove {
  const asked = lastOutcome(conversation, "ask_person");
  if (asked !== undefined) {
    if (!asked.ok) return undecided(`The underwriter could not be asked: ${asked.text}`);
    const taskId = isJsonObject(asked.value) ? asked.value["taskId"] : undefined;
    if (typeof taskId !== "string") return undecided("The underwriter could not be asked.");
    return awaitedMove(conversation, offered, taskId);
  }
  const form = lastOutcome(conversation, "ask_user_question");
  if (form !== undefined) {
    return form.ok
      ? formMove(form.value, question(loan))
      : undecided(`The question was not answered: ${form.text}`);
  }
  const say = `${loan.subject} has a debt-to-income ratio of ${loan.ratio}, which the policy does not cover, so I ask the underwriter.`;
  if (offered.has("ask_person")) return { kind: "call", say, call: personQuestion(loan) };
  if (offered.has("ask_user_question")) return { kind: "call", say, call: formQuestion(loan) };
  return undecided(
    `A ratio of ${loan.ratio} is for an underwriter to judge, and I can't ask one here: ${loan.subject} is referred to an underwriter.`,
  );
}

function question(loan: Case): string {
  return `${loan.subject} has a ${loan.ratio} debt-to-income ratio. Approve?`;
}

function personQuestion(loan: Case): ToolUse {
  return {
    toolName: "ask_person",
    input: {
      question: question(loan),
      options: [
        { id: "approve", label: "Approve" },
        { id: "deny", label: "Deny" },
      ],
      allowText: true,
      context: `Income **${loan.income}**, debt **${loan.debt}**. The policy approves up to ${APPROVES_UP_TO_PERCENT}% and declines above ${DECLINES_ABOVE_PERCENT}%; it does not cover what lies between.`,
    },
  };
}

function formQuestion(loan: Case): ToolUse {
  return {
    toolName: "ask_user_question",
    input: {
      questions: [
        {
          question: question(loan),
          header: "Loan",
          options: [
            { label: "Approve", description: "Pre-approve the loan in spite of the ratio." },
            { label: "Deny", description: "Decline the application." },
          ],
          multiSelect: false,
        },
      ],
    },
  };
}

function awaitedMove(
  conversation: Conversation,
  offered: ReadonlySet<string>,
  taskId: string,
): UnderwriterMove {
  const waited = lastOutcome(conversation, "await_tasks");
  if (waited === undefined) {
    if (offered.has("await_tasks")) {
      return {
        kind: "call",
        say: "",
        call: { toolName: "await_tasks", input: { taskIds: [taskId] } },
      };
    }
    return undecided("The underwriter is asked, and the answer is not here yet.");
  }
  if (!waited.ok) return undecided(`The underwriter's answer could not be had: ${waited.text}`);
  return taskMove(taskState(conversation, taskId));
}

function taskMove(task: JsonObject | undefined): UnderwriterMove {
  const by = typeof task?.["answeredBy"] === "string" ? task["answeredBy"] : NOBODY_KNOWN;
  const reason = typeof task?.["reason"] === "string" ? `: ${quoted(task["reason"])}` : "";
  switch (task?.["status"]) {
    case "answered":
      return answerMove(task["answer"], by);
    case "declined":
      return undecided(`${by} declined to answer${reason}.`);
    case "cancelled":
      return undecided(`The question to the underwriter was cancelled${reason}.`);
    case "expired":
      return undecided("The question to the underwriter expired without an answer.");
    default:
      return undecided("The underwriter did not answer in time; the question stays open.");
  }
}

function answerMove(answer: unknown, by: string): UnderwriterMove {
  const members = isJsonObject(answer) ? answer : {};
  const text = typeof members["text"] === "string" ? members["text"] : "";
  const chosen = new Set([members["option"], members["options"]].flat());
  const approves = chosen.has("approve");
  if (approves !== chosen.has("deny")) {
    return { kind: "decided", approved: approves, by, note: noteOf(text) };
  }
  return wordsMove(text, by);
}

/** The normalised answer of a form: its answers by the question's text, and the response beside them. */
function formMove(value: unknown, asked: string): UnderwriterMove {
  const members = isJsonObject(value) ? value : {};
  const answers = isJsonObject(members["answers"]) ? members["answers"] : {};
  const words = [answers[asked]].flat().filter((word) => typeof word === "string");
  const response = typeof members["response"] === "string" ? members["response"] : "";
  const [word] = words;
  if (word === "Approve" || word === "Deny") {
    return {
      kind: "decided",
      approved: word === "Approve",
      by: NOBODY_KNOWN,
      note: noteOf(response),
    };
  }
  return wordsMove([...words, response].filter((part) => part !== "").join(" "), NOBODY_KNOWN);
}

function wordsMove(text: string, by: string): UnderwriterMove {
  const approved = approvalInWords(text);
  if (approved !== undefined) return { kind: "decided", approved, by, note: noteOf(text) };
  return undecided(
    text === ""
      ? `${by} gave no decision.`
      : `${by} answered ${quoted(text)}, which neither approves nor denies.`,
  );
}

const NO_OBJECTION = /\b(?:no|not an?)\s+(?:objections?|problems?|issues?|concerns?)\b/gi;
const NEGATED =
  /\b(?:not|never|don'?t|don’t|can'?t|can’t|cannot|won'?t|won’t)\s+(?:\w+\s+)?(?:approve|accept|agree|ok)/gi;
const YES = /\b(?:approved?|yes|okay|ok|fine|accept(?:ed)?|agreed?|go ahead)\b/i;
const NO = /\b(?:den(?:y|ied)|no|not|declined?|reject(?:ed)?|refused?|never)\b/i;

/** Undefined where the words say both, or neither: a loan is not decided by a guess. */
export function approvalInWords(text: string): boolean | undefined {
  const words = text.replaceAll(NO_OBJECTION, " fine ").replaceAll(NEGATED, " denied ");
  const yes = YES.test(words);
  return yes === NO.test(words) ? undefined : yes;
}

function noteOf(text: string): string {
  return text === "" ? "" : ` Note: ${quoted(text)}`;
}

function quoted(text: string): string {
  return `“${shorten(text, NOTE_CHARACTERS)}”`;
}

function undecided(why: string): UnderwriterMove {
  return { kind: "undecided", why };
}
