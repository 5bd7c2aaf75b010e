/**
 * Owns: what holds for a model of every provider: the options of each call, and how it says that it is not configured.
 * Apart from `models.ts`, so that a Worker with a model of its own carries no provider.
 */

import type { generateText } from "ai";

/**
 * Provider options that every step gets. OpenAI's Responses API otherwise refers to items that it keeps and lets expire,
 * and a turn may be parked for longer than that.
 */
export const providerOptions: NonNullable<Parameters<typeof generateText>[0]["providerOptions"]> = {
  openai: { store: false },
};

/** Says by name what to set, and how. Its message never holds a value that was set: that might be a secret. */
export class ModelNotConfigured extends Error {
  override readonly name = "ModelNotConfigured";
  readonly code = "model_not_configured";
  /** The environment doesn't change by trying again. */
  readonly isRetryable = false;
}
