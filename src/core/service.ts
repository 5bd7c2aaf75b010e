/**
 * Owns: what the Service takes on its wire, `/api/v1`: snake_case, unknown fields refused; and its codes.
 */

import * as z from "zod";
import { parseSessionReference, SESSION_NAME_FORM } from "./ids.ts";
import { partsSchema } from "./input.ts";
import { metadataSchema, pageLimit } from "./wire.ts";

/** A further message to a thread. */
export const messageSchema = z.strictObject({
  agent_id: z.string().min(1).max(64),
  kind: z.literal("message").optional(),
  /** Both run as the next turn: a turn under way is not steered. */
  delivery: z.enum(["steer", "next_run"]).optional(),
  payload: z.strictObject({ content: partsSchema }),
  options: z.strictObject({ labels: metadataSchema.optional() }).optional(),
});
export type Message = z.output<typeof messageSchema>;

/** A message that opens a thread, or goes to the one of a session that is there. */
export const threadSchema = messageSchema.extend({
  session_id: z
    .string()
    .refine(
      (text) => parseSessionReference(text) !== undefined,
      `must be a session's id, or a name of ${SESSION_NAME_FORM}`,
    )
    .optional(),
});

export const runsQuerySchema = z.strictObject({
  limit: pageLimit,
  cursor: z.string().optional(),
});

/** Each code of this wire with its status. */
export const SERVICE_STATUS = {
  invalid_argument: 400,
  invalid_cursor: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  payload_too_large: 413,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
} as const;
export type ServiceCode = keyof typeof SERVICE_STATUS;
