/**
 * Owns: the one door to a session for the rest of the Worker. It finds the object, makes a new stub for each attempt, and
 * tries again where the platform says that it may and the request says that it can.
 */

import type { Batch } from "../core/batch.ts";
import type { ToolOutput } from "../core/event.ts";
import { formatSessionId, type SessionKey } from "../core/ids.ts";
import type { JsonObject } from "../core/json.ts";
import { objectAt, type Placement } from "../core/placement.ts";
import type { Question } from "../core/question.ts";
import type { Outcome } from "../core/refusal.ts";
import type { EventPlace } from "../core/session-event.ts";
import type { QuestionFilter } from "../journal/tasks.ts";
import type { AskRequest } from "./asking.ts";
import type { WakeCheck } from "./engine.ts";
import type { Settler, Settling } from "./answers.ts";
import type { Bounce, DeliveryFilter, DeliveryView } from "./reaching.ts";
import { listen, type Listening, type ListenRequest, openSocket } from "./listening.ts";
import type { EventPage } from "./readers.ts";
import type { BatchRequest } from "./results.ts";
import type { ResumeRequest } from "./resuming.ts";
import type { EntryView, ResumedRun, RunPage, RunView, ThreadView } from "./runs.ts";
import type {
  AskedQuestion,
  SessionObject,
  SessionView,
  StartedTurn,
  WaitedFor,
} from "./session.ts";
import type { StartedMessage } from "./thread-object.ts";
import type { StartRequest } from "./starting.ts";
import type { TurnView } from "../core/turn-view.ts";

export type {
  DeliveryView,
  EntryView,
  Listening,
  ListenRequest,
  QuestionFilter,
  RunView,
  SessionView,
  Settling,
  StartedMessage,
  StartRequest,
  ThreadView,
};

export { type ResumeRequest, type Resumption, resumeSessions } from "./resuming.ts";

/** The object did not answer, and trying again here would not help or could do a thing twice. */
export class SessionUnavailable extends Error {
  override readonly name = "SessionUnavailable";
}

export interface SessionFace {
  readonly sessionId: string;
  start(request: StartRequest): Promise<Outcome<StartedTurn>>;
  startMessage(request: StartRequest): Promise<Outcome<StartedMessage>>;
  readThread(): Promise<Outcome<ThreadView>>;
  readEntry(n: number): Promise<Outcome<EntryView>>;
  readRun(n: number): Promise<Outcome<RunView>>;
  readRuns(limit: number, before: number | undefined): Promise<Outcome<RunPage>>;
  resumeRun(
    n: number,
    batch: Batch,
    settler: Settler,
    idempotency: Required<BatchRequest>,
  ): Promise<Outcome<ResumedRun>>;
  interruptRun(n: number): Promise<Outcome<RunView>>;
  noteBounce(n: number, bounce: Bounce): Promise<Outcome<Question>>;
  checkWake(): Promise<WakeCheck>;
  eraseSession(): Promise<Outcome<null>>;
  tellInbox(): Promise<void>;
  settleChild(item: number, output: ToolOutput): Promise<Outcome<null>>;
  readTurn(n: number, waitMs: number, until?: WaitedFor): Promise<Outcome<TurnView>>;
  cancelTurn(n: number, reason: string | undefined): Promise<Outcome<TurnView>>;
  retryTurn(n: number): Promise<Outcome<TurnView>>;
  resumeReady(request: ResumeRequest): Promise<readonly TurnView[]>;
  settleResults(
    n: number,
    batch: Batch,
    settler: Settler,
    request?: BatchRequest,
  ): Promise<Outcome<TurnView>>;
  readSession(limit: number): Promise<Outcome<SessionView>>;
  readMessages(): Promise<Outcome<readonly JsonObject[]>>;
  /** A turn's events that last, behind a place: a page of them, as JSON. */
  readEvents(turn: number, after: EventPlace | undefined): Promise<Outcome<EventPage>>;
  readQuestions(filter: QuestionFilter): Promise<Outcome<readonly Question[]>>;
  ask(request: AskRequest): Promise<Outcome<AskedQuestion>>;
  readQuestion(n: number): Promise<Outcome<Question>>;
  settleQuestion(n: number, settling: Settling): Promise<Outcome<Question>>;
  assignQuestion(n: number, to: string, by: string): Promise<Outcome<Question>>;
  deliverQuestion(n: number): Promise<Outcome<Question>>;
  readDeliveries(filter: DeliveryFilter): Promise<Outcome<readonly DeliveryView[]>>;
  retryDelivery(n: number): Promise<Outcome<DeliveryView>>;
  /** The events behind a place, and those that follow. */
  listen(request: ListenRequest): Promise<Outcome<Listening>>;
}

/** The object's methods as they are called from outside. The stub's own types give up on recursive JSON. */
type Remote = Pick<DurableObjectStub, "fetch"> & {
  [Name in Exclude<keyof SessionFace, "sessionId" | "listen">]: (
    ...args: Parameters<SessionFace[Name]>
  ) => ReturnType<SessionFace[Name]>;
};

const TRIES = 3;

export function openSession(
  namespace: DurableObjectNamespace<SessionObject>,
  workspace: string,
  key: SessionKey,
  placement: Placement,
): SessionFace {
  const name = `${workspace}/${key}`;
  const call = async <T>(repeatable: boolean, use: (remote: Remote) => Promise<T>): Promise<T> => {
    for (let left = TRIES - 1; ; left -= 1) {
      try {
        return await use(objectAt(namespace, name, placement) as unknown as Remote);
      } catch (error) {
        if (!isPlatformError(error)) throw error;
        if (left === 0 || !repeatable || error.overloaded === true || error.retryable !== true)
          throw new SessionUnavailable("the session did not answer", { cause: error });
      }
    }
  };
  return {
    sessionId: formatSessionId(key),
    start: (request) => call(isRepeatable(request), (remote) => remote.start(request)),
    startMessage: (request) =>
      call(isRepeatable(request), (remote) => remote.startMessage(request)),
    readThread: () => call(true, (remote) => remote.readThread()),
    readEntry: (n) => call(true, (remote) => remote.readEntry(n)),
    readRun: (n) => call(true, (remote) => remote.readRun(n)),
    readRuns: (limit, before) => call(true, (remote) => remote.readRuns(limit, before)),
    resumeRun: (n, batch, settler, idempotency) =>
      call(true, (remote) => remote.resumeRun(n, batch, settler, idempotency)),
    noteBounce: (n, bounce) => call(true, (remote) => remote.noteBounce(n, bounce)),
    checkWake: () => call(true, (remote) => remote.checkWake()),
    eraseSession: () => call(true, (remote) => remote.eraseSession()),
    tellInbox: () => call(true, (remote) => remote.tellInbox()),
    settleChild: (item, output) => call(true, (remote) => remote.settleChild(item, output)),
    interruptRun: (n) => call(true, (remote) => remote.interruptRun(n)),
    readTurn: (n, waitMs, until = "change") =>
      call(true, (remote) => remote.readTurn(n, waitMs, until)),
    // Not repeated: what the first call resumed is ready no more, and would be missing from the second's answer.
    resumeReady: (request) => call(false, (remote) => remote.resumeReady(request)),
    retryTurn: (n) => call(true, (remote) => remote.retryTurn(n)),
    cancelTurn: (n, reason) => call(true, (remote) => remote.cancelTurn(n, reason)),
    settleResults: (n, batch, settler, request) =>
      call(true, (remote) => remote.settleResults(n, batch, settler, request)),
    readSession: (limit) => call(true, (remote) => remote.readSession(limit)),
    readMessages: () => call(true, (remote) => remote.readMessages()),
    readEvents: (turn, after) => call(true, (remote) => remote.readEvents(turn, after)),
    readQuestions: (filter) => call(true, (remote) => remote.readQuestions(filter)),
    ask: (request) => call(isRepeatable(request), (remote) => remote.ask(request)),
    readQuestion: (n) => call(true, (remote) => remote.readQuestion(n)),
    settleQuestion: (n, settling) => call(true, (remote) => remote.settleQuestion(n, settling)),
    assignQuestion: (n, to, by) => call(true, (remote) => remote.assignQuestion(n, to, by)),
    deliverQuestion: (n) => call(true, (remote) => remote.deliverQuestion(n)),
    readDeliveries: (filter) => call(true, (remote) => remote.readDeliveries(filter)),
    retryDelivery: (n) => call(true, (remote) => remote.retryDelivery(n)),
    listen: ({ after, ...request }) =>
      listen(
        (place) =>
          call(true, (remote) =>
            openSocket(remote, { ...request, ...(place !== undefined && { after: place }) }),
          ),
        after,
      ),
  };
}

/** A start that can't be recognised when it comes again is not repeated: it could start a second turn. */
function isRepeatable(request: Pick<StartRequest, "fresh" | "idempotency">): boolean {
  return request.fresh || request.idempotency !== undefined;
}

interface PlatformError extends Error {
  readonly retryable?: boolean;
  readonly overloaded?: boolean;
  readonly durableObjectReset?: boolean;
}

function isPlatformError(error: unknown): error is PlatformError {
  return (
    error instanceof Error &&
    ("retryable" in error || "overloaded" in error || "durableObjectReset" in error)
  );
}
