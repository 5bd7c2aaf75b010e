/** An agent whose author delivers its questions and hears of its results. */

import { scriptModel } from "../../src/agent/script-model.ts";
import type { Question } from "../../src/core/question.ts";
import type { TurnResult } from "../../src/core/turn-view.ts";
import { defineAgent } from "../../src/options.ts";

class Author {
  readonly delivered: Question[] = [];
  readonly results: TurnResult[] = [];
  /** How many deliveries fail before one is taken. */
  failures = 0;
}

export const author = new Author();

export const deliverAgents = {
  delivering: defineAgent({
    model: scriptModel,
    system: "You play a script.",
    humanInput: {
      deliver: (question) => {
        if (author.failures > 0) {
          author.failures -= 1;
          throw new Error("the channel is down");
        }
        author.delivered.push(question);
      },
    },
    userQuestions: true,
    onResult: (result) => {
      author.results.push(result);
    },
  }),
  /** Its parked turns go on only when they are told to. */
  manual: defineAgent({
    model: scriptModel,
    system: "You play a script.",
    humanInput: { resume: "manual" },
  }),
  /** Delivers, and wants to hear of nothing. */
  quiet: defineAgent({
    model: scriptModel,
    system: "You play a script.",
    humanInput: { deliver: () => undefined },
    userQuestions: true,
  }),
};
