/**
 * Owns: what a model source is told when it is asked for a model.
 * Does not own: which models there are (`models.ts`), nor how a step is run.
 */

import type { LanguageModel, ModelMessage } from "ai";
import type { Input } from "../core/input.ts";
import type { JsonObject } from "../core/json.ts";

export interface ModelContext {
  /** The Worker's bindings. */
  readonly env: Readonly<Record<string, unknown>>;
  readonly agent: string;
  readonly extraBody: JsonObject | undefined;
  /** What the turn was given. */
  readonly input: Input;
  /** The turn so far: finished model calls, attempts that failed in a row at this place, and this turn's own messages (its input first). */
  readonly turn: {
    readonly steps: number;
    readonly failures: number;
    readonly messages: readonly ModelMessage[];
  };
}

/**
 * A model, or a function that gives one; it may give a promise, so that a provider that isn't chosen is never loaded.
 * A bare string, which the SDK would send to an outside gateway, is refused where the step begins.
 */
export type ModelSource =
  | LanguageModel
  | ((context: ModelContext) => LanguageModel | Promise<LanguageModel>);
