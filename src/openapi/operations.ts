/** Owns: what is written down of the routes for those who run a Worker, of triggers, and of the answer page. */

import { parkedQuerySchema } from "../core/requests.ts";
import { IDS } from "./examples.ts";
import type { Operation } from "./operation.ts";

const PAGE = { type: "text/html", example: "<!doctype html><title>Approve?</title>" };

export const OPERATIONS: readonly Operation[] = [
  {
    route: "POST /v1/resume",
    id: "resumeParked",
    tag: "Operations",
    summary: "Let parked turns go on whose wait is over",
    description: 'For agents with `humanInput: { resume: "manual" }` alone.',
    right: "run",
    body: { schema: "Resume", isOptional: true, examples: { some: { limit: 20 } } },
    answers: {
      200: {
        says: "What became of each.",
        schema: "Resumption",
        examples: {
          resumption: {
            resumed: [
              {
                sessionId: IDS.session,
                turnId: IDS.turn,
                result: {
                  status: "completed",
                  text: "Approved.",
                  steps: 3,
                  usage: { inputTokens: 3, outputTokens: 131 },
                  turnId: IDS.turn,
                  sessionId: IDS.session,
                },
              },
            ],
            failed: [],
          },
        },
      },
    },
    refuses: ["not_found"],
  },
  {
    route: "GET /v1/parked",
    id: "countParked",
    tag: "Operations",
    summary: "Count parked turns by what a deploy may change under them",
    right: "read",
    query: parkedQuerySchema,
    answers: {
      200: {
        says: "The counts.",
        schema: "ParkedCounts",
        examples: { agents: { items: [{ agent: "loan-desk", parked: 12 }] } },
      },
    },
  },
  {
    route: "GET /v1/health/overdue",
    id: "readOverdue",
    tag: "Operations",
    summary: "Wake sessions that are overdue, and name them",
    right: "read",
    answers: {
      200: {
        says: "Sessions that should have woken more than a minute ago.",
        schema: "Overdue",
        examples: { none: { overdue: 0, sessions: [] } },
      },
    },
  },
  {
    route: "GET /v1/metrics",
    id: "readMetrics",
    tag: "Operations",
    summary: "Figures of the workspace",
    description: "As Prometheus's text for whoever accepts `text/plain` and not JSON.",
    right: "read or admin",
    answers: {
      200: {
        says: "The figures.",
        schema: "Metrics",
        examples: {
          figures: {
            sessions: 128,
            openQuestions: 3,
            parkedTurns: 2,
            parkedHours: 41.5,
            overdueSessions: 0,
            timeToAnswer: { questions: 117, p50Seconds: 840, p95Seconds: 86400 },
            wakes: 64,
            rowsWritten: 1920,
          },
        },
        text: { type: "text/plain", example: "holdpoint_open_questions 3\n" },
      },
    },
  },
  {
    route: "POST /v1/inbox/rebuild",
    id: "rebuildInbox",
    tag: "Operations",
    summary: "Fill the lists over all sessions anew",
    right: "admin",
    body: { schema: "Rebuild", isOptional: true, examples: { resharded: { fromShards: 1 } } },
    answers: {
      200: {
        says: "From so many sessions.",
        schema: "Rebuilt",
        examples: { rebuilt: { sessions: 128 } },
      },
    },
  },
  {
    route: "POST /v1/hooks/{trigger}",
    id: "receiveEvent",
    tag: "Triggers",
    summary: "An event of another system starts a turn",
    description:
      "No key: the sender signs, as the trigger's `verify` says. The event's own id makes a delivery that comes again start nothing twice.",
    body: { schema: "Event", examples: { event: { action: "opened", number: 7 } } },
    answers: {
      200: {
        says: "It came before: what it started. Or the answer to a sender's challenge.",
        schema: "Triggered",
        examples: {
          again: { turnId: IDS.turn, sessionId: IDS.session },
          challenge: { challenge: "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P" },
        },
      },
      202: {
        says: "It started a turn.",
        schema: "Triggered",
        examples: { started: { turnId: IDS.turn, sessionId: IDS.session } },
      },
      204: { says: "It is none for the agent." },
    },
    refuses: [
      "invalid_request",
      "invalid_signature",
      "not_found",
      "session_full",
      "not_configured",
    ],
  },
  {
    route: "POST /v1/slack/interactions",
    id: "receiveSlackClick",
    tag: "Triggers",
    summary: "A click in Slack answers a question",
    description:
      "No key: Slack signs. Whoever is not answered by the message itself is told in Slack, so the answer has no body.",
    body: {
      schema: "SlackForm",
      type: "application/x-www-form-urlencoded",
      examples: { click: { payload: '{"type":"block_actions"}' } },
    },
    answers: { 200: { says: "It was heard." } },
    refuses: ["invalid_request", "invalid_signature"],
  },
  {
    route: "GET /healthz",
    id: "readHealth",
    tag: "Operations",
    summary: "Whether the Worker answers at all",
    answers: { 200: { says: "It does.", schema: "Health", examples: { ok: { status: "ok" } } } },
  },
  {
    route: "GET /a/{token}",
    id: "showQuestion",
    tag: "Pages",
    summary: "A question as a form, behind its signed link",
    description:
      "Changes nothing, whoever fetches it. `?option={id}` chooses an option beforehand.",
    surface: "page",
    answers: {
      200: { says: "The form, or how the question ended.", text: PAGE },
      404: { says: "Forged or malformed.", text: PAGE },
      410: { says: "The link has expired.", text: PAGE },
    },
  },
  {
    route: "POST /a/{token}",
    id: "answerByPage",
    tag: "Pages",
    summary: "Answer by the page's own form",
    surface: "page",
    body: {
      schema: "PageForm",
      type: "application/x-www-form-urlencoded",
      examples: { option: { nonce: "AZu9rgKE", option: "approve" } },
    },
    answers: {
      200: { says: "Recorded.", text: PAGE },
      400: { says: "The form is not this page's, or is too old.", text: PAGE },
      403: { says: "The form comes from another site.", text: PAGE },
      404: { says: "Forged or malformed.", text: PAGE },
      409: { says: "It was settled otherwise.", text: PAGE },
      410: { says: "The link has expired.", text: PAGE },
      413: { says: "The form is too large.", text: PAGE },
      415: { says: "It is no form.", text: PAGE },
      422: { says: "The answer does not fit; what was typed is still in the form.", text: PAGE },
      429: { says: "Too many tries on this link.", text: PAGE },
    },
  },
];
