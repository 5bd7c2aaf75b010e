/**
 * Owns: by which buttons a question is answered in Slack. The message that shows them and the reader of a click go by the
 * same list. What buttons can't say is answered on the page.
 */

import type { JsonObject } from "./json.ts";
import { SLACK_BUTTONS } from "./limits.ts";
import { choiceAnswer, mailForm } from "./mail-form.ts";
import type { Question } from "./question.ts";

export interface SlackButton {
  /** By which a click names it. */
  readonly key: string;
  /** A word of ours, or what was asked. */
  readonly label: "approve" | "deny" | "yes" | "no" | { readonly text: string };
  readonly answer: JsonObject;
}

/** Empty where only the page will do. */
export function slackButtons(question: Question): readonly SlackButton[] {
  const form = mailForm(question);
  switch (form.kind) {
    case "decision":
      return [
        { key: "approve", label: "approve", answer: { approved: true } },
        { key: "deny", label: "deny", answer: { approved: false } },
      ];
    case "boolean":
      return [
        { key: "yes", label: "yes", answer: { value: true } },
        { key: "no", label: "no", answer: { value: false } },
      ];
    case "choice":
      if (form.multiple || form.choices.length > SLACK_BUTTONS) return [];
      return form.choices.map((choice, place) => ({
        key: String(place),
        label: { text: choice.label },
        answer: choiceAnswer(question, form, [choice]),
      }));
    case "text":
    case "number":
    case "page":
      return [];
  }
}
