import type { LanguageModelV4Content } from "@ai-sdk/provider";
import type { ModelMessage } from "ai";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { casesOf, holds } from "../replayable.ts";
import { bySdk, stepOf } from "./both-calls.ts";

const word = fc.constantFrom("", " ", "Yes.", "\u0000", "\ud800", "漢字", "__proto__", "{}");
const json = fc.jsonValue({ maxDepth: 2 });
const signed = fc.constantFrom(
  {},
  { providerOptions: {} },
  { providerOptions: { anthropic: { signature: "c2ln" } } },
);

/** What a user says: a text, or parts. */
const said = fc
  .oneof(
    word,
    fc.array(
      fc.tuple(word, signed).map(([text, more]) => ({ type: "text", text, ...more })),
      { minLength: 1, maxLength: 3 },
    ),
  )
  .map((content) => ({ role: "user", content }));

const output = fc
  .oneof(
    fc.record({ type: fc.constantFrom("text", "error-text"), value: word }),
    fc.record({ type: fc.constantFrom("json", "error-json"), value: json }),
    fc.record({ type: fc.constant("execution-denied"), reason: word }),
    fc.constant({ type: "execution-denied" }),
    fc.record({
      type: fc.constant("content"),
      value: fc.array(
        word.map((text) => ({ type: "text", text })),
        { maxLength: 2 },
      ),
    }),
  )
  .chain((made) => signed.map((more) => ({ ...made, ...more })));

interface Round {
  readonly before: readonly object[];
  readonly calls: readonly (readonly [input: unknown, output: object, more: object])[];
  /** After which of the results another message begins. */
  readonly split: number;
}

const round: fc.Arbitrary<Round> = fc.record({
  before: fc.array(
    fc
      .tuple(fc.constantFrom("text", "reasoning"), word, signed)
      .map(([type, text, more]) => ({ type, text, ...more })),
    { maxLength: 3 },
  ),
  calls: fc.array(fc.tuple(json, output, signed), { maxLength: 3 }),
  split: fc.nat(3),
});

/** A model's message and, in one message or two, the results of all its calls. */
function messagesOf({ before, calls, split }: Round, at: number): object[] {
  const named = (n: number) => ({ toolCallId: `c${at}_${n}`, toolName: "look_up" });
  const made = calls.map(([input, , more], n) => ({
    type: "tool-call",
    ...named(n),
    input,
    ...more,
  }));
  const results = calls.map(([, result, more], n) => ({
    type: "tool-result",
    ...named(n),
    output: result,
    ...more,
  }));
  return [
    { role: "assistant", content: [...before, ...made] },
    ...[results.slice(0, split), results.slice(split)]
      .filter((content) => content.length > 0)
      .map((content) => ({ role: "tool", content })),
  ];
}

const conversation = fc
  .tuple(said, fc.array(fc.tuple(round, said), { maxLength: 3 }))
  .map(([first, rounds]) => [
    first,
    ...rounds.flatMap(([each, next], at) => [...messagesOf(each, at), next]),
  ]) as fc.Arbitrary<ModelMessage[]>;

it("hands the model what the SDK would make of any conversation", async () => {
  await holds(
    process.env,
    casesOf(process.env, 300),
    fc.asyncProperty(conversation, async (messages) => {
      const [ours, sdk] = [await stepOf({ messages }), await bySdk({ messages })];
      expect(ours.options).toEqual(sdk.options);
    }),
  );
});

const metadata = { providerMetadata: { anthropic: { signature: "c2ln" } } };
const answered = fc
  .array(
    fc.oneof(
      fc.record({
        type: fc.constantFrom("text", "reasoning"),
        text: word,
        isSigned: fc.boolean(),
      }),
      fc.record({
        type: fc.constant("tool-call"),
        toolCallId: fc.constantFrom("c1", "c2", "used", "", "a b"),
        toolName: fc.constantFrom("look_up", "nothing", "ask_user_question"),
        input: fc.oneof(
          json.map((value) => JSON.stringify(value)),
          word,
        ),
        isSigned: fc.boolean(),
      }),
    ),
    { maxLength: 5 },
  )
  .map((parts) =>
    parts.map(({ isSigned, ...part }, at) => ({
      ...part,
      ...(isSigned && metadata),
      // Of two calls that share an id the SDK gives the second one the first one's signature.
      ...(isSigned && "toolCallId" in part && { toolCallId: `signed_${at}` }),
    })),
  ) as fc.Arbitrary<LanguageModelV4Content[]>;

it("stores what the SDK would form of any answer", async () => {
  await holds(
    process.env,
    casesOf(process.env, 300),
    fc.asyncProperty(answered, async (content) => {
      const [ours, sdk] = [await stepOf({ content }), await bySdk({ content })];
      expect(JSON.stringify(ours.outcome)).toBe(JSON.stringify(sdk.outcome));
    }),
  );
});
