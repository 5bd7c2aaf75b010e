/**
 * Owns: what the routes of `/api/v1` answer, as schemas: every member present, nulls included. Used by the document of the
 * API and by tests: the Worker does not carry them.
 */

import * as z from "zod";
import { partsSchema } from "./input.ts";
import { count, time } from "./schema-parts.ts";
import { SERVICE_STATUS, type ServiceCode } from "./service.ts";

const json = z.unknown();
const labels = z.record(z.string(), z.string());
const content = z.strictObject({ content: partsSchema });

export const threadViewSchema = z.strictObject({
  id: z.string(),
  workspace_id: z.string(),
  session_id: z.string(),
  origin: z.literal("new"),
  current_run_id: z.nullable(z.string()),
  last_run_id: z.nullable(z.string()),
  labels,
  archived_at: z.null(),
  version: count,
  created_at: time,
  updated_at: time,
});

const failure = z.nullable(z.strictObject({ code: z.string(), message: z.string() }));

export const entryViewSchema = z.strictObject({
  id: z.string(),
  thread_id: z.string(),
  kind: z.literal("message"),
  delivery: z.enum(["steer", "next_run"]),
  position: count,
  status: z.enum(["pending", "assigned", "consumed", "failed", "withdrawn"]),
  payload: content,
  agent_id: z.string(),
  assigned_run_id: z.nullable(z.string()),
  failure,
  created_at: time,
  finished_at: z.nullable(time),
});

const pendingItem = z.strictObject({
  tool_call_id: z.string(),
  tool_name: z.string(),
  arguments: json,
  presentation: z.null(),
});

export const runViewSchema = z.strictObject({
  id: z.string(),
  workspace_id: z.string(),
  session_id: z.string(),
  thread_id: z.string(),
  agent_id: z.string(),
  status: z.enum(["accepted", "running", "waiting", "completed", "failed", "cancelled"]),
  trigger: z.enum(["input", "queued", "resume"]),
  lineage: z.enum(["root", "continue"]),
  parent_run_id: z.nullable(z.string()),
  source_entry_id: z.string(),
  input: content,
  /** The batch by which its predecessor's wait ended. */
  resume: z.nullable(z.record(z.string(), json)),
  resumed_by_id: z.nullable(z.string()),
  wait_reason: z.nullable(z.enum(["approval", "call", "multiple"])),
  pending: z.nullable(
    z.strictObject({ approvals: z.array(pendingItem), calls: z.array(pendingItem) }),
  ),
  attempts: count,
  max_attempts: count,
  output: z.nullable(z.string()),
  failure,
  usage_at_seal: z.nullable(z.strictObject({ input_tokens: count, output_tokens: count })),
  labels,
  cancel_requested_at: z.nullable(time),
  version: count,
  created_at: time,
  updated_at: time,
  started_at: z.nullable(time),
  sealed_at: z.nullable(time),
});

export const startedViewSchema = z.strictObject({
  thread: threadViewSchema,
  entry: entryViewSchema,
  run: z.nullable(runViewSchema),
});

export const runPageSchema = z.strictObject({
  items: z.array(runViewSchema),
  next_cursor: z.nullable(z.string()),
});

export const envelopeSchema = z.strictObject({
  error: z.strictObject({
    code: z.enum(Object.keys(SERVICE_STATUS) as [ServiceCode, ...ServiceCode[]]),
    message: z.string(),
    details: z.nullable(z.record(z.string(), json)),
    request_id: z.string(),
  }),
});
