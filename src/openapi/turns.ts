/** Owns: what is written down of the routes of turns and sessions. */

import { listTurnsQuerySchema, readTurnQuerySchema } from "../core/requests.ts";
import { CANCELLED, COMPLETED, EVENT_STREAM, IDS, PARKED, RUNNING, WAITING } from "./examples.ts";
import type { Answer, Body, Operation } from "./operation.ts";

const START: Body = {
  schema: "StartTurn",
  examples: {
    text: { input: PARKED.input },
    parts: {
      input: [
        { type: "text", text: "Pre-approve this application." },
        { type: "json", value: { id: "APP-1008", income: 5000, debt: 2350 } },
      ],
      agent: "loan-desk",
      whenBusy: "queue",
      metadata: { branch: "north" },
    },
    output: {
      input: "Rate APP-1008.",
      output: { schema: { type: "object", properties: { rating: { type: "integer" } } } },
    },
  },
};
const STARTED: Readonly<Record<number, Answer>> = {
  200: {
    says: "Settled or parked within the time that `Prefer` gives; or what the first request with this `Idempotency-Key` started, as it is now.",
    schema: "Turn",
    examples: { parked: PARKED, completed: COMPLETED },
    headers: ["Location", "Preference-Applied"],
    stream: EVENT_STREAM,
  },
  202: {
    says: "Accepted.",
    schema: "Turn",
    examples: { running: RUNNING },
    headers: ["Location", "Preference-Applied"],
  },
};
const STREAM_NOTE =
  "With `Accept: text/event-stream` the answer is the turn's events, as of `GET /v1/turns/{turn}/events`; the key needs the right `read` too.";

export const TURNS: readonly Operation[] = [
  {
    route: "POST /v1/turns",
    id: "startTurn",
    tag: "Turns",
    summary: "Start a turn in a new session",
    description: STREAM_NOTE,
    right: "run",
    headers: ["Idempotency-Key", "Prefer"],
    body: START,
    answers: STARTED,
    refuses: ["idempotency_key_reused"],
  },
  {
    route: "POST /v1/sessions/{session}/turns",
    id: "startTurnInSession",
    tag: "Turns",
    summary: "Start a turn in a session",
    description: `A name that is used for the first time makes a session. ${STREAM_NOTE}`,
    right: "run",
    headers: ["Idempotency-Key", "Prefer"],
    body: START,
    answers: STARTED,
    refuses: ["not_found", "session_busy", "session_full", "idempotency_key_reused"],
  },
  {
    route: "GET /v1/turns/{turn}",
    id: "readTurn",
    tag: "Turns",
    summary: "Read a turn, or wait for it",
    right: "read",
    query: readTurnQuerySchema,
    answers: {
      200: {
        says: "The turn. With `wait` at once where it is settled, else when its status changes or after so many seconds.",
        schema: "Turn",
        examples: { parked: PARKED, completed: COMPLETED },
      },
    },
    refuses: ["not_found"],
  },
  {
    route: "GET /v1/turns",
    id: "listTurns",
    tag: "Turns",
    summary: "List turns of all sessions",
    right: "read",
    query: listTurnsQuerySchema,
    answers: {
      200: {
        says: "A page, the oldest first.",
        schema: "TurnPage",
        examples: { page: { items: [PARKED], nextCursor: IDS.cursor } },
      },
    },
    refuses: ["invalid_cursor"],
  },
  {
    route: "GET /v1/turns/{turn}/events",
    id: "readTurnEvents",
    tag: "Turns",
    summary: "Follow a turn's events",
    description:
      "Server-sent events, from the turn's start or from `Last-Event-ID` on, without a gap or a repeat. The stream stays open while the turn is parked, and ends after the turn.",
    right: "read",
    headers: ["Last-Event-ID"],
    answers: { 200: { says: "The events as they happen.", stream: EVENT_STREAM } },
    refuses: ["not_found"],
  },
  {
    route: "POST /v1/turns/{turn}/results",
    id: "settleResults",
    tag: "Turns",
    summary: "Settle all that a parked turn waits for",
    right: "run",
    body: {
      schema: "Results",
      examples: {
        results: {
          approvals: { demo_1: { action: "approve" } },
          calls: { demo_2: { status: "returned", value: { printed: true } } },
        },
      },
    },
    answers: {
      200: {
        says: "The turn; for the results by which it last went on, the turn as it is now.",
        schema: "Turn",
        examples: { running: RUNNING },
      },
    },
    refuses: [
      "not_found",
      "results_incomplete",
      "invalid_result",
      "turn_not_parked",
      "wait_not_client_owned",
    ],
  },
  {
    route: "POST /v1/turns/{turn}/cancel",
    id: "cancelTurn",
    tag: "Turns",
    summary: "Cancel a turn, with all that it asked",
    right: "run",
    body: {
      schema: "Cancel",
      isOptional: true,
      examples: { reason: { reason: "The applicant withdrew." } },
    },
    answers: { 200: { says: "The turn.", schema: "Turn", examples: { cancelled: CANCELLED } } },
    refuses: ["not_found", "turn_settled"],
  },
  {
    route: "POST /v1/turns/{turn}/retry",
    id: "retryTurn",
    tag: "Turns",
    summary: "Drive a failed turn on from its last finished step",
    right: "run",
    body: { schema: "Nothing", isOptional: true, examples: { nothing: {} } },
    answers: { 200: { says: "The turn.", schema: "Turn", examples: { running: RUNNING } } },
    refuses: ["not_found", "turn_settled"],
  },
  {
    route: "GET /v1/sessions/{session}",
    id: "readSession",
    tag: "Sessions",
    summary: "Read a session",
    right: "read",
    answers: {
      200: {
        says: "The newest 100 turns, and what waits.",
        schema: "Session",
        examples: {
          session: { id: IDS.session, name: "loan-7", turns: [PARKED], questions: [WAITING] },
        },
      },
    },
    refuses: ["not_found"],
  },
  {
    route: "GET /v1/sessions/{session}/messages",
    id: "readMessages",
    tag: "Sessions",
    summary: "Read the conversation as the model sees it",
    right: "read",
    answers: {
      200: {
        says: "The messages, in order.",
        schema: "Messages",
        examples: {
          messages: {
            messages: [
              { role: "user", content: PARKED.input },
              { role: "assistant", content: [{ type: "text", text: COMPLETED.text }] },
            ],
          },
        },
      },
    },
    refuses: ["not_found"],
  },
  {
    route: "GET /v1/sessions/{session}/events",
    id: "readSessionEvents",
    tag: "Sessions",
    summary: "Follow the events of all turns of a session",
    description:
      "As of a turn, but the stream goes on until you close it, and a name that no session has yet is waited for.",
    right: "read",
    headers: ["Last-Event-ID"],
    answers: { 200: { says: "The events as they happen.", stream: EVENT_STREAM } },
    refuses: ["not_found"],
  },
  {
    route: "DELETE /v1/sessions/{session}",
    id: "eraseSession",
    tag: "Sessions",
    summary: "Erase everything of a session",
    right: "admin",
    answers: { 204: { says: "Erased, its rows in the lists too." } },
    refuses: ["not_found"],
  },
];
