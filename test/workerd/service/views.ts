/**
 * Owns: what the views of the Service hold, member by member and in order, where a test says nothing else.
 */

import { expect } from "vitest";
import { type Entry, expectMembers, MEMBERS, type Run, type Thread } from "./client.ts";

export const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const COUNT = expect.any(Number);

export function expectThread(thread: Thread): void {
  expectMembers(thread, MEMBERS.thread);
  const key = thread.id.slice("thread_".length);
  expect(thread).toEqual({
    id: expect.stringMatching(/^thread_[0-9a-f]{24}$/),
    workspace_id: "dev",
    session_id: `sess_${key}`,
    origin: "new",
    current_run_id: thread.current_run_id === null ? null : expect.stringMatching(`^run_${key}`),
    last_run_id: thread.last_run_id === null ? null : expect.stringMatching(`^run_${key}`),
    labels: expect.any(Object),
    archived_at: null,
    version: COUNT,
    created_at: TIME,
    updated_at: TIME,
  });
}

export function expectEntry(entry: Entry, expected: object): void {
  expectMembers(entry, MEMBERS.entry);
  const key = entry.id.slice("entry_".length, -8);
  expect(entry).toEqual({
    id: expect.stringMatching(/^entry_[0-9a-f]{32}$/),
    thread_id: `thread_${key}`,
    kind: "message",
    delivery: "next_run",
    position: COUNT,
    payload: {
      content: [
        { type: "text", text: "go" },
        { type: "json", value: expect.any(Object) },
      ],
    },
    agent_id: "playground",
    failure: null,
    created_at: TIME,
    ...expected,
  });
}

/** All that a run's view holds, where nothing is said otherwise. */
export function expectRun(run: Run, entry: Entry, expected: object): void {
  expectMembers(run, MEMBERS.run);
  const key = run.id.slice("run_".length, -8);
  expect(run).toEqual({
    id: expect.stringMatching(/^run_[0-9a-f]{32}$/),
    workspace_id: "dev",
    session_id: `sess_${key}`,
    thread_id: `thread_${key}`,
    agent_id: "playground",
    trigger: "input",
    lineage: "root",
    parent_run_id: null,
    source_entry_id: entry.id,
    input: entry.payload,
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
    version: COUNT,
    created_at: TIME,
    updated_at: TIME,
    started_at: TIME,
    sealed_at: null,
    ...expected,
  });
}

export const USAGE = { input_tokens: COUNT, output_tokens: COUNT };
