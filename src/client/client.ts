/**
 * Owns: the client: the routes of `/v1` as functions, for Node, browsers and Workers. Its types are those of the schemas
 * that the Worker checks and answers by. Does not own: tries and errors (`transport.ts`), streams (`events.ts`), pages.
 */

import type * as z from "zod";
import type { Answer } from "../core/answer.ts";
import type { ApprovalResult, CallResult } from "../core/batch.ts";
import type { InputPart } from "../core/input.ts";
import type { Question, toolQuestionSchema } from "../core/question.ts";
import type {
  askSchema,
  listDeliveriesQuerySchema,
  listQuestionsQuerySchema,
  listTurnsQuerySchema,
  parkedQuerySchema,
  rebuildSchema,
  resumeParkedSchema,
  startTurnSchema,
} from "../core/requests.ts";
import type {
  deliverySchema,
  messagesSchema,
  metricsSchema,
  overdueSchema,
  parkedCountsSchema,
  rebuiltSchema,
  resumptionSchema,
  sessionSchema,
} from "../core/responses.ts";
import type { SessionEvent } from "../core/session-event.ts";
import type { ShownTurn } from "../core/turn-schema.ts";
import type { askUserQuestionRequestSchema, UserQuestionAnswers } from "../core/user-question.ts";
import { type EventOptions, followEvents } from "./events.ts";
import { type List, listOf, type Page } from "./pages.ts";
import { type Call, type CallOptions, type ClientOptions, createTransport } from "./transport.ts";

export type Turn = ShownTurn;
export type Session = z.output<typeof sessionSchema>;
export type Message = z.output<typeof messagesSchema>["messages"][number];
export type Delivery = z.output<typeof deliverySchema>;
export type Resumption = z.output<typeof resumptionSchema>;
export type ParkedCounts = z.output<typeof parkedCountsSchema>["items"];
export type Metrics = z.output<typeof metricsSchema>;
export type Overdue = z.output<typeof overdueSchema>;

/** The same without what only this call says, so that all else is the request's body. */
type Query<S extends z.ZodType> = Omit<z.input<S>, "limit"> & {
  /** How many items a page holds. */
  readonly limit?: number | undefined;
} & CallOptions;

/** What makes a request that is sent again the same request. Made by the client where it is left out. */
interface Repeatable extends CallOptions {
  readonly idempotencyKey?: string | undefined;
}

export type StartTurn = z.input<typeof startTurnSchema>;
export interface StartOptions extends Repeatable {
  /** The session's id, or a name of your own; a new session where it is left out. */
  readonly session?: string | undefined;
  /** Seconds, at most 60, to wait until the turn is settled or parked. */
  readonly waitSeconds?: number | undefined;
}

type PersonQuestion = Omit<z.input<typeof toolQuestionSchema>, "answerSchema"> & {
  /** A JSON Schema of 2020-12: the answer is a `value` that fits it. */
  readonly answerSchema?: object | boolean | undefined;
};
type Placed = z.input<z.ZodObject<(typeof askSchema)["in"]["shape"]>>;
export type Ask = (PersonQuestion | z.input<typeof askUserQuestionRequestSchema>) & Placed;

export interface Results {
  readonly approvals: Readonly<Record<string, ApprovalResult>>;
  readonly calls: Readonly<Record<string, CallResult>>;
  readonly input?: { readonly content: readonly InputPart[] };
}

export interface AnswerBody {
  readonly answer: Answer | UserQuestionAnswers;
  /** Who answers, in your words. */
  readonly answeredBy: string;
}
export interface DeclineBody {
  readonly answeredBy: string;
  readonly reason?: string | undefined;
}
export interface ReasonBody {
  readonly reason?: string | undefined;
}

export type Client = ReturnType<typeof createClient>;

/** How long one look at a turn waits for its next change. */
const LOOK_SECONDS = 30;

export function createClient(options: ClientOptions) {
  const transport = createTransport(options);
  const call = <T>(request: Call) => transport.json<T>(request);

  function read<T>(path: string, { signal }: CallOptions, query?: object): Promise<T> {
    return call<T>({ method: "GET", path, query, isRepeatable: true, signal });
  }

  function post<T>(
    path: string,
    body: object | undefined,
    { signal }: CallOptions,
    isRepeatable = true,
  ): Promise<T> {
    return call<T>({ method: "POST", path, body, isRepeatable, signal });
  }

  function list<T>(path: string, { signal, ...query }: CallOptions): List<T> {
    return listOf(query, (part) => read<Page<T>>(path, { signal }, part));
  }

  function readTurn(
    id: string,
    { waitSeconds: wait, ...rest }: CallOptions & { readonly waitSeconds?: number | undefined },
  ): Promise<Turn> {
    return read(turnPath(id), rest, { wait });
  }

  return {
    turns: {
      /** Starts a turn. However often it has to be sent, it is one turn. */
      start: (
        body: StartTurn,
        { session, waitSeconds, idempotencyKey, signal }: StartOptions = {},
      ): Promise<Turn> =>
        call({
          method: "POST",
          path: session === undefined ? "/v1/turns" : `${sessionPath(session)}/turns`,
          body,
          headers: {
            "idempotency-key": idempotencyKey ?? crypto.randomUUID(),
            ...(waitSeconds !== undefined && { prefer: `wait=${waitSeconds}` }),
          },
          isRepeatable: true,
          signal,
        }),
      /** The turn as it is; with `waitSeconds` at the next change of its status, or after so long. */
      get: (
        id: string,
        given: CallOptions & { readonly waitSeconds?: number } = {},
      ): Promise<Turn> => readTurn(id, given),
      /** The turn once it is settled, or parked: then it waits for what `waitingFor` says. However long that takes. */
      async wait(id: string, { signal }: CallOptions = {}): Promise<Turn> {
        let turn = await readTurn(id, { signal });
        while (turn.status === "queued" || turn.status === "running")
          turn = await readTurn(id, { signal, waitSeconds: LOOK_SECONDS });
        return turn;
      },
      /** What happens in the turn, to its end, over its parks and any cut of the connection. */
      events: (id: string, given: EventOptions = {}): AsyncGenerator<SessionEvent, void> =>
        followEvents(transport, `${turnPath(id)}/events`, given),
      list: (query: Query<typeof listTurnsQuerySchema> = {}): List<Turn> =>
        list<Turn>("/v1/turns", query),
      cancel: (id: string, { signal, ...body }: ReasonBody & CallOptions = {}): Promise<Turn> =>
        post(`${turnPath(id)}/cancel`, body, { signal }),
      /** Drives a failed turn on from its last finished step. */
      retry: (id: string, given: CallOptions = {}): Promise<Turn> =>
        post(`${turnPath(id)}/retry`, undefined, given),
      /** Settles all that a parked turn waits for. */
      settle: (id: string, results: Results, given: CallOptions = {}): Promise<Turn> =>
        post(`${turnPath(id)}/results`, results, given),
      /** Lets parked turns go on, of agents that don't let them go on by themselves. Sent once. */
      resumeParked: ({
        signal,
        ...body
      }: z.input<typeof resumeParkedSchema> & CallOptions = {}): Promise<Resumption> =>
        post("/v1/resume", body, { signal }, false),
      countParked: async ({
        signal,
        ...query
      }: z.input<typeof parkedQuerySchema> & CallOptions = {}): Promise<ParkedCounts> =>
        (await read<{ items: ParkedCounts }>("/v1/parked", { signal }, query)).items,
    },
    questions: {
      /** Asks a person, without an agent. However often it has to be sent, it is one question. */
      ask: (body: Ask, { idempotencyKey, signal }: Repeatable = {}): Promise<Question> =>
        call({
          method: "POST",
          path: "/v1/questions",
          body,
          headers: { "idempotency-key": idempotencyKey ?? crypto.randomUUID() },
          isRepeatable: true,
          signal,
        }),
      /** Those that wait, where no other `status` is asked for. */
      list: (query: Query<typeof listQuestionsQuerySchema> = {}): List<Question> =>
        list<Question>("/v1/questions", query),
      get: (id: string, given: CallOptions = {}): Promise<Question> =>
        read(questionPath(id), given),
      answer: (id: string, { signal, ...body }: AnswerBody & CallOptions): Promise<Question> =>
        post(`${questionPath(id)}/answer`, body, { signal }),
      decline: (id: string, { signal, ...body }: DeclineBody & CallOptions): Promise<Question> =>
        post(`${questionPath(id)}/decline`, body, { signal }),
      cancel: (id: string, { signal, ...body }: ReasonBody & CallOptions = {}): Promise<Question> =>
        post(`${questionPath(id)}/cancel`, body, { signal }),
      assign: (id: string, to: string, given: CallOptions = {}): Promise<Question> =>
        post(`${questionPath(id)}/assign`, { to }, given),
      /** Brings it to people once more. Sent once. */
      deliver: (id: string, given: CallOptions = {}): Promise<Question> =>
        post(`${questionPath(id)}/deliver`, undefined, given, false),
    },
    sessions: {
      get: (session: string, given: CallOptions = {}): Promise<Session> =>
        read(sessionPath(session), given),
      messages: async (session: string, given: CallOptions = {}): Promise<readonly Message[]> =>
        (await read<{ messages: readonly Message[] }>(`${sessionPath(session)}/messages`, given))
          .messages,
      /** What happens in all its turns, until `signal` ends it. */
      events: (session: string, given: EventOptions = {}): AsyncGenerator<SessionEvent, void> =>
        followEvents(transport, `${sessionPath(session)}/events`, given),
      erase: async (session: string, { signal }: CallOptions = {}): Promise<void> => {
        const path = sessionPath(session);
        await call({ method: "DELETE", path, isRepeatable: true, signal });
      },
    },
    deliveries: {
      list: (query: Query<typeof listDeliveriesQuerySchema>): List<Delivery> =>
        list<Delivery>("/v1/deliveries", query),
      retry: (id: string, given: CallOptions = {}): Promise<Delivery> =>
        post(`/v1/deliveries/${pathPart(id)}/retry`, undefined, given),
    },
    inbox: {
      overdue: (given: CallOptions = {}): Promise<Overdue> => read("/v1/health/overdue", given),
      /** Figures of the workspace. */
      metrics: (given: CallOptions = {}): Promise<Metrics> => read("/v1/metrics", given),
      rebuild: ({ signal, ...body }: z.input<typeof rebuildSchema> & CallOptions = {}): Promise<
        z.output<typeof rebuiltSchema>
      > => post("/v1/inbox/rebuild", body, { signal }),
    },
  };
}

/** An address drops `.` and `..` and then is another's: with a slash behind them they name nothing, and are refused. */
function pathPart(id: string): string {
  return /^\.{1,2}$/.test(id) ? `${id}%2F` : encodeURIComponent(id);
}

function turnPath(id: string): string {
  return `/v1/turns/${pathPart(id)}`;
}

function questionPath(id: string): string {
  return `/v1/questions/${pathPart(id)}`;
}

function sessionPath(session: string): string {
  return `/v1/sessions/${pathPart(session)}`;
}
