/**
 * Owns: agents whose model speaks in pieces and stands at a gate before each but the first, so that a test sees a text
 * half said; whose stream breaks where a test says so; and which can't stream at all.
 */

import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { z } from "zod";
import type { ModelContext } from "../../src/agent/model-context.ts";
import { defineAgent } from "../../src/options.ts";
import { stage } from "./stage.ts";

const speechSchema = z.object({
  /** The gates' names begin with it. */
  gate: z.string(),
  pieces: z.array(z.string()),
  /** The first call's stream is cut, or has an error, before the piece of this number. */
  broken: z
    .object({
      before: z.number(),
      how: z.enum(["cut", "error"]),
      /** What the next call says in place of the pieces. */
      instead: z.array(z.string()).optional(),
    })
    .optional(),
});

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const FINISH = { unified: "stop", raw: "stop" } as const;

function talkingModel({ extraBody, turn }: ModelContext): LanguageModelV4 {
  const { gate, pieces, broken } = speechSchema.parse(extraBody?.["speech"]);
  async function* parts(): AsyncGenerator<LanguageModelV4StreamPart> {
    yield { type: "stream-start", warnings: [] };
    yield { type: "text-start", id: "0" };
    const said = turn.failures === 0 ? pieces : (broken?.instead ?? pieces);
    for (const [index, delta] of said.entries()) {
      if (index > 0) await stage.stopAt(`${gate} ${turn.failures} ${index}`);
      if (turn.failures === 0 && broken?.before === index) {
        if (broken.how === "error") yield { type: "error", error: { message: "overloaded" } };
        return;
      }
      yield { type: "text-delta", id: "0", delta };
    }
    yield { type: "text-end", id: "0" };
    yield { type: "finish", finishReason: FINISH, usage: USAGE };
  }
  return {
    ...silentModel(pieces.join("")),
    doStream: () => Promise.resolve({ stream: streamOf(parts()) }),
  };
}

function silentModel(text: string): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: "test",
    modelId: "talking",
    supportedUrls: {},
    doGenerate: () =>
      Promise.resolve({
        content: [{ type: "text", text }],
        finishReason: FINISH,
        usage: USAGE,
        warnings: [],
      }),
    doStream: () => {
      throw new Error("not implemented");
    },
  };
}

/** Pulled: the next piece is said when the one before was taken. */
function streamOf(
  parts: AsyncGenerator<LanguageModelV4StreamPart>,
): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
  });
}

export const talkingAgents = {
  talking: defineAgent({ model: talkingModel, system: "You talk." }),
  silent: defineAgent({ model: () => silentModel("All at once."), system: "You write." }),
};
