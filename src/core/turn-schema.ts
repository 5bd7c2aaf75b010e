/**
 * Owns: how a turn looks on the wire, as a schema. Its types are used everywhere and the schema itself by the document of
 * the API and by tests, so that the Worker does not carry it.
 */

import * as z from "zod";
import { failureSchema } from "./event.ts";
import { checkedJson, count, list, time } from "./schema-parts.ts";
import { waitShape } from "./session-event.ts";
import { TURN_STATUSES } from "./turn.ts";

const pendingItemSchema = z.strictObject({
  toolCallId: z.string(),
  toolName: z.string(),
  arguments: checkedJson,
  requestId: z.exactOptional(z.string()),
  /** Digest of the tool's input schema when the call was made; of an author's own tools. */
  schema: z.exactOptional(z.string()),
});

export const waitSchema = z.strictObject(waitShape);

export const turnSchema = z.strictObject({
  id: z.string(),
  sessionId: z.string(),
  sessionName: z.exactOptional(z.string()),
  agent: z.string(),
  status: z.enum(TURN_STATUSES),
  input: checkedJson,
  inputType: z.exactOptional(z.string()),
  text: z.exactOptional(z.string()),
  /** The last text as the value that was asked for. */
  output: z.exactOptional(checkedJson),
  error: z.exactOptional(failureSchema),
  runs: list(
    z.strictObject({
      id: z.string(),
      status: z.enum([...TURN_STATUSES, "waiting"]),
    }),
  ),
  pending: z.exactOptional(
    z.strictObject({ approvals: list(pendingItemSchema), calls: list(pendingItemSchema) }),
  ),
  waitingFor: z.exactOptional(list(waitSchema)),
  queuedBehind: z.exactOptional(
    z.strictObject({ turnId: z.string(), waitingFor: z.exactOptional(list(waitSchema)) }),
  ),
  attempts: count,
  nextRetryAt: z.exactOptional(time),
  usage: z.strictObject({ inputTokens: count, outputTokens: count, steps: count }),
  createdAt: time,
  updatedAt: time,
  metadata: z.exactOptional(z.record(z.string(), z.string())),
});
export type ShownPendingItem = Readonly<z.output<typeof pendingItemSchema>>;
export type ShownWait = Readonly<z.output<typeof waitSchema>>;
/** A turn as every caller sees it. */
export type ShownTurn = Readonly<z.output<typeof turnSchema>>;
