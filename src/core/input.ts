/**
 * Owns: what a turn is given (text, or parts), and how a model reads it.
 */

import * as z from "zod";
import type { Json } from "./json.ts";
import { utf8Exceeds } from "./json-bounds.ts";
import { INPUT_CHARACTERS, INPUT_PARTS, INPUT_PART_CHARACTERS } from "./limits.ts";
import { givenJson } from "./schema-parts.ts";

const partSchema = z.discriminatedUnion(
  "type",
  [
    z.strictObject({ type: z.literal("text"), text: z.string().min(1).max(INPUT_PART_CHARACTERS) }),
    z.strictObject({ type: z.literal("json"), value: givenJson() }),
    z.strictObject({ type: z.literal("url"), url: z.url().max(8_192) }),
  ],
  { error: "must be text, json or url: files are not taken, give a url" },
);

export const partsSchema = z.array(partSchema).min(1).max(INPUT_PARTS);
export const inputSchema = z.union([
  z
    .string()
    .max(INPUT_CHARACTERS)
    .refine((text) => text.trim() !== "", "must not be blank"),
  partsSchema,
]);

/** An input of a named shape: any JSON, which is checked by the shape's own schema where the agents are known. */
export const typedInputSchema = givenJson()
  .refine(
    (value) => !utf8Exceeds(JSON.stringify(value), INPUT_CHARACTERS),
    `must take at most ${INPUT_CHARACTERS} bytes`,
  )
  .transform((value): Input => [{ type: "json", value }]);

export type InputPart = z.output<typeof partSchema>;
export type Input = z.output<typeof inputSchema>;

/** An input as the caller gave it: one of a named shape is kept as a part, and was the value alone. */
export function shownInput({
  input,
  inputType,
}: {
  readonly input: Input;
  readonly inputType?: string | undefined;
}): Json {
  const [part] = typeof input === "string" ? [] : input;
  return inputType !== undefined && part?.type === "json" ? part.value : (input as Json);
}

/** The text that stands for an input in the conversation. A URL is named, never fetched. */
export function inputText(input: Input): string {
  if (typeof input === "string") return input;
  return input.map(partText).join("\n\n");
}

function partText(part: InputPart): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "json":
      return JSON.stringify(part.value);
    case "url":
      return part.url;
  }
}
