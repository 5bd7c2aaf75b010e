/** Owns: what is written down of the routes of `/api/v1`. */

import { runsQuerySchema } from "../core/service.ts";
import { IDS, PARKED } from "./examples.ts";
import type { Operation } from "./operation.ts";

const CONTENT = { content: [{ type: "text", text: PARKED.input }] };
const STARTED_AT = "2026-11-30T09:36:56.695Z";
const PARKED_AT = "2026-11-30T09:36:56.735Z";

const THREAD = {
  id: IDS.thread,
  workspace_id: "acme",
  session_id: IDS.session,
  origin: "new",
  current_run_id: IDS.run,
  last_run_id: IDS.run,
  labels: {},
  archived_at: null,
  version: 1,
  created_at: STARTED_AT,
  updated_at: STARTED_AT,
};
const ENTRY = {
  id: IDS.entry,
  thread_id: IDS.thread,
  kind: "message",
  delivery: "next_run",
  position: 1,
  status: "consumed",
  payload: CONTENT,
  agent_id: "loan-desk",
  assigned_run_id: IDS.run,
  failure: null,
  created_at: STARTED_AT,
  finished_at: STARTED_AT,
};
const RUN = {
  id: IDS.run,
  workspace_id: "acme",
  session_id: IDS.session,
  thread_id: IDS.thread,
  agent_id: "loan-desk",
  status: "running",
  trigger: "input",
  lineage: "root",
  parent_run_id: null,
  source_entry_id: IDS.entry,
  input: CONTENT,
  resume: null,
  resumed_by_id: null,
  wait_reason: null,
  pending: null,
  attempts: 0,
  max_attempts: 5,
  output: null,
  failure: null,
  usage_at_seal: null,
  labels: {},
  cancel_requested_at: null,
  version: 1,
  created_at: STARTED_AT,
  updated_at: STARTED_AT,
  started_at: STARTED_AT,
  sealed_at: null,
};
const WAITING = {
  ...RUN,
  status: "waiting",
  wait_reason: "approval",
  pending: {
    approvals: [
      {
        tool_call_id: "demo_1",
        tool_name: "send_email",
        arguments: { to: "ada@applicants.example" },
        presentation: null,
      },
    ],
    calls: [],
  },
  usage_at_seal: { input_tokens: 1, output_tokens: 68 },
  updated_at: PARKED_AT,
  sealed_at: PARKED_AT,
};
const BATCH = { approvals: { demo_1: { action: "approve" } }, calls: {} };
const SUCCESSOR = {
  ...RUN,
  id: IDS.nextRun,
  status: "accepted",
  trigger: "resume",
  lineage: "continue",
  parent_run_id: IDS.run,
  resume: BATCH,
  started_at: null,
};
const STARTED = { thread: THREAD, entry: ENTRY, run: RUN };
const MESSAGE = { agent_id: "loan-desk", payload: CONTENT };
const ON_THIS_WIRE = { tag: "Service", surface: "service" } as const;

function started(says: string) {
  return { says, schema: "Started", examples: { started: STARTED } };
}

function run(says: string, example: unknown) {
  return { says, schema: "Run", examples: { run: example } };
}

export const SERVICE: readonly Operation[] = [
  {
    ...ON_THIS_WIRE,
    route: "POST /api/v1/threads",
    id: "openThread",
    summary: "Open a thread with a message",
    right: "run",
    headers: ["Idempotency-Key", "X-Workspace-ID"],
    body: { schema: "OpenThread", examples: { message: MESSAGE } },
    answers: { 200: started("It was opened before, by this key."), 201: started("Opened.") },
    refuses: ["not_found", "session_full"],
  },
  {
    ...ON_THIS_WIRE,
    route: "GET /api/v1/threads/{thread}",
    id: "readThread",
    summary: "Read a thread",
    right: "read",
    headers: ["X-Workspace-ID"],
    answers: { 200: { says: "The thread.", schema: "Thread", examples: { thread: THREAD } } },
    refuses: ["not_found"],
  },
  {
    ...ON_THIS_WIRE,
    route: "GET /api/v1/threads/{thread}/runs",
    id: "listRuns",
    summary: "List a thread's runs, the newest first",
    right: "read",
    headers: ["X-Workspace-ID"],
    query: runsQuerySchema,
    answers: {
      200: {
        says: "A page.",
        schema: "RunPage",
        examples: { page: { items: [WAITING], next_cursor: null } },
      },
    },
    refuses: ["not_found", "invalid_cursor"],
  },
  {
    ...ON_THIS_WIRE,
    route: "POST /api/v1/threads/{thread}/inbox",
    id: "sendMessage",
    summary: "Send a thread a further message",
    right: "run",
    headers: ["Idempotency-Key", "X-Workspace-ID"],
    body: { schema: "SendMessage", examples: { message: MESSAGE } },
    answers: { 200: started("It was sent before, by this key."), 201: started("Sent.") },
    refuses: ["not_found", "session_full"],
  },
  {
    ...ON_THIS_WIRE,
    route: "GET /api/v1/threads/{thread}/inbox/{entry}",
    id: "readEntry",
    summary: "Read a message",
    right: "read",
    headers: ["X-Workspace-ID"],
    answers: { 200: { says: "The message.", schema: "Entry", examples: { entry: ENTRY } } },
    refuses: ["not_found"],
  },
  {
    ...ON_THIS_WIRE,
    route: "GET /api/v1/runs/{run}",
    id: "readRun",
    summary: "Read a run",
    right: "read",
    headers: ["X-Workspace-ID"],
    answers: { 200: run("The run.", WAITING) },
    refuses: ["not_found"],
  },
  {
    ...ON_THIS_WIRE,
    route: "POST /api/v1/runs/{run}/resume",
    id: "resumeRun",
    summary: "Resume a run that waits, with results for all that is open",
    right: "run",
    headers: ["Idempotency-Key (required)", "X-Workspace-ID"],
    body: { schema: "Results", examples: { results: BATCH } },
    answers: {
      200: run("It was resumed before, by this key: its successor as it is now.", SUCCESSOR),
      201: run("Its successor.", SUCCESSOR),
    },
    refuses: ["not_found", "session_busy"],
  },
  {
    ...ON_THIS_WIRE,
    route: "POST /api/v1/runs/{run}/interrupt",
    id: "interruptRun",
    summary: "Cancel a run",
    right: "run",
    headers: ["X-Workspace-ID"],
    body: { schema: "Nothing", isOptional: true, examples: { nothing: {} } },
    answers: { 200: run("The run.", { ...RUN, status: "cancelled" }) },
    refuses: ["not_found", "run_sealed"],
  },
];
