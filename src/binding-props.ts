/**
 * Owns: what a service binding says of the Worker that has it.
 */

import * as z from "zod";
import { rightSchema, workspaceSchema } from "./core/key.ts";

/** What a binding says of whoever has it: `props` of the `[[services]]` entry. */
export const bindingPropsSchema = z.strictObject({
  workspace: workspaceSchema,
  can: z.array(rightSchema).min(1).default(["run", "answer", "read"]),
  /** What is idempotent is so for it. */
  id: z.string().min(1).max(64).default("default"),
});
export type BindingProps = z.input<typeof bindingPropsSchema>;
