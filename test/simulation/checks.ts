/**
 * Owns: what must hold whenever everything stands still, and once a script is at its end, whatever fault struck.
 */

import type { Question } from "../../src/core/question.ts";
import { CHORES_AT_ONCE, LEASE_MS } from "../../src/core/limits.ts";
import type { WaitView } from "../../src/core/turn-view.ts";
import { linesOfTurn, malformation } from "./conversation.ts";
import { proveResults } from "./results.ts";
import type { People } from "./people.ts";
import type { Script } from "./script.ts";
import { simulation } from "./simulation.ts";
import { type View, Violation, type World } from "./world.ts";

/** Nothing stands still from which nothing wakes (I1), and what waits for a person alone sets no alarm (I11). */
export async function proveWakes(views: readonly View[], world: World): Promise<void> {
  for (const view of views) {
    const alarm = () => simulation.alarmOf(view.session);
    const dues = duesOf(view);
    if (dues.length === 0) {
      // What changes no list is told of, too, in a report that is never sent: until then the lease stands behind it.
      if (!simulation.struck) await world.until(() => alarm() === null);
      continue;
    }
    const due = Math.min(...dues);
    // Where the object died, or the disk refused, when its alarm fired, the lease finds what was due.
    const isLate = simulation.isDiskRefused || simulation.deaths > 0;
    const latest = due > simulation.now ? due : simulation.now + (isLate ? LEASE_MS : 0);
    if ((alarm() ?? Infinity) > latest)
      violate(`something is due at ${due}, and the alarm is at ${alarm()}`, view);
  }
}

/** When something happens by itself in a session that stands still. */
function duesOf(view: View): readonly number[] {
  const dues: number[] = [];
  // What a background tool returned may have been refused by the disk: then its lease's alarm finds it.
  if (simulation.watch.session(view.session).beside.size > 0) dues.push(simulation.now + LEASE_MS);
  for (const turn of view.turns) {
    const { status, waitingFor = [], nextRetryAt } = turn;
    if (status === "running") {
      if (nextRetryAt !== undefined) dues.push(Date.parse(nextRetryAt));
      else if (simulation.isDiskRefused) dues.push(simulation.now + LEASE_MS);
      else violate("a turn rests while it is running", turn);
    }
    if (status === "parked" && waitingFor.length === 0) violate("a turn waits for nothing", turn);
    if (status === "parked")
      for (const wait of waitingFor) {
        if (!hasSomebody(wait, view)) violate("a turn waits for nobody", wait);
        if (wait.until !== undefined) dues.push(Date.parse(wait.until));
      }
    if (status === "queued" && !view.turns.some((other) => isAhead(other.status)))
      violate("a turn is queued behind nothing", turn);
  }
  return dues;
}

function isAhead(status: string): boolean {
  return status === "parked" || status === "running";
}

function hasSomebody({ kind, requestId }: WaitView, { questions, session }: View): boolean {
  switch (kind) {
    case "question":
      return questions.some((question) => question.requestId === requestId);
    case "call":
      return true;
    case "task":
      // Background tools have ended when all is at rest, so it is another agent's turn, which is open itself; or one
      // whose result the disk refused, and looking has just woken it.
      return (
        simulation.isDiskRefused ||
        [...simulation.watch.session(session).children.values()].some(({ isSettled }) => !isSettled)
      );
  }
}

export async function proveOutcome(people: People, script: Script): Promise<void> {
  for (const session of simulation.sessions)
    if (simulation.watch.session(session).last > 0) await proveSession(people, session);
  proveDeliveries();
  await proveResults(people, script);
  proveModelCalls();
  await proveNextLife(people.world);
}

/** What the journal tells the next life of an object is what this one knew. */
async function proveNextLife(world: World): Promise<void> {
  const known = async (session: string) =>
    JSON.stringify([
      await world.messages(session),
      await world.questions(session),
      await world.view(session),
    ]);
  for (const session of simulation.sessions) {
    if (simulation.watch.session(session).last === 0) continue;
    const before = await known(session);
    await world.kill(session);
    const after = await known(session);
    if (before !== after) violate("the next life knows something else", [before, after]);
  }
}

async function proveSession({ world, accepted }: People, session: string): Promise<void> {
  if (simulation.alarmOf(session) !== null) violate("an alarm is left", { session });
  const messages = await world.messages(session);
  const flaw = malformation(messages);
  if (flaw !== undefined) violate(flaw, messages);
  // What the model was given is what the conversation shows, message by message (I2, I7).
  for (const { label, given } of simulation.ledger.modelCalls) {
    const shown = linesOfTurn(messages, label);
    if (shown.length === 0) continue;
    for (const [at, line] of given.entries())
      if (shown[at] !== line)
        violate(`${label} was given another message ${at}`, [line, shown[at]]);
  }
  for (const question of await world.questions(session)) {
    const settled = accepted.get(question.requestId);
    if (settled === undefined) continue;
    const { status, answer, answeredBy, answeredAt, reason } = settled.question;
    const was = JSON.stringify([status, answer, answeredBy, answeredAt, reason]);
    const is = JSON.stringify([
      question.status,
      question.answer,
      question.answeredBy,
      question.answeredAt,
      question.reason,
    ]);
    if (was !== is) violate(`an accepted answer was ${was} and is`, question);
  }
  await proveInbox(await world.view(session), world);
}

/** The inbox shows what the sessions show, once it was told (I10). */
export async function proveInboxOf(views: readonly View[], world: World): Promise<void> {
  for (const view of views) {
    const { told, toTell } = simulation.watch.session(view.session);
    if (told >= toTell) await proveInbox(view, world);
  }
}

async function proveInbox({ session, turns, questions }: View, world: World): Promise<void> {
  const views = await world.inboxViewsOf(session);
  for (const view of [...turns, ...questions]) {
    const id = "requestId" in view ? view.requestId : view.id;
    const shown = JSON.parse(views[id] ?? "{}") as Record<string, unknown>;
    for (const [name, value] of Object.entries(view))
      if (!HIDDEN.has(name) && comparable(value) !== comparable(shown[name]))
        violate(`the inbox shows another ${name} of ${id}`, [value, shown[name]]);
  }
  const waiting = Object.values(views).filter((view) => isWaiting(JSON.parse(view) as Question));
  if (waiting.length !== questions.length) violate("the inbox lists other questions", waiting);
}

function isWaiting({ requestId, status }: Question): boolean {
  return requestId !== undefined && status === "waiting";
}

/** Links are added outside; a delivery is noted after the inbox is told; and what a queued turn waits behind may lag. */
const HIDDEN = new Set(["answerUrl", "to", "deliveries", "queuedBehind"]);

function comparable(view: unknown): string {
  return JSON.stringify(view, (name, value: unknown) => (HIDDEN.has(name) ? undefined : value));
}

/** Each question was delivered unless it was settled before, and each end of a turn was told: once where nothing died. */
function proveDeliveries(): void {
  const { ledger, watch, struck } = simulation;
  let more = 0;
  for (const count of ledger.delivered.values()) more += count - 1;
  for (const [key, { turns, facts, takenBack }] of watch.sessions)
    for (const turn of turns.values()) {
      const told = ledger.told.get(idOf("turn", key, turn.n)) ?? [];
      if (turn.agent !== "simulated") continue;
      if (told.length < turn.ended) violate(`turn ${turn.n} ended ${turn.ended} times, told`, told);
      if (told.at(-1) !== turn.status) violate(`turn ${turn.n} is ${turn.status}, told`, told);
      more += told.length - turn.ended;
      for (const fact of facts) {
        if (fact.type !== "question.asked" || fact.turn !== turn.n) continue;
        const isDelivered = ledger.delivered.has(idOf("q", key, fact.question));
        if (!isDelivered && !takenBack.has(fact.question) && !struck)
          violate("a question was not delivered", fact);
      }
    }
  // What was on its way when the object died, or could not be noted down.
  if (more > CHORES_AT_ONCE * (simulation.deaths + (struck ? 1 : 0)))
    violate(`${more} were told again`, ledger);
}

function idOf(kind: string, key: string, n: number): string {
  return `${kind}_${key}${n.toString(16).padStart(8, "0")}`;
}

/** A step that is in the journal is never run again: a model is asked again only where an attempt died or failed (I2). */
function proveModelCalls(): void {
  const answered = new Map<string, number>();
  for (const { label, steps, answered: isAnswered } of simulation.ledger.modelCalls)
    if (isAnswered) answered.set(`${label} ${steps}`, (answered.get(`${label} ${steps}`) ?? 0) + 1);
  const again = [...answered.values()].reduce((sum, count) => sum + count - 1, 0);
  if (again > (simulation.struck ? 1 : 0)) violate(`${again} steps were run again`, [...answered]);
}

export function violate(what: string, shown: unknown): never {
  throw new Violation(`${what}: ${JSON.stringify(shown)}`);
}
