/**
 * Owns: the scripts that the simulated models play: random, but the same for the same seed. Each call bears a word of its
 * own in its input, by which everything that comes of it is known again: its effect, its question, its result.
 */

import { Random } from "./random.ts";

export interface ScriptedCall {
  readonly toolName: string;
  readonly input: object;
  readonly toolCallId?: string;
  /** The word in the input; absent where the call is refused before anything comes of it. */
  readonly what?: string;
}

export interface Line {
  readonly text: string;
  readonly calls: readonly ScriptedCall[];
}

export interface Failing {
  readonly fail: { readonly status: number; readonly times: number; readonly retryAfter?: number };
}

export type Entry = Line | Failing;

export interface ScriptedTurn {
  /** The turn's input, by which it is known. */
  readonly label: string;
  readonly entries: readonly Entry[];
  readonly whenBusy: "queue" | "parallel";
}

export interface Script {
  readonly seed: number;
  readonly turns: readonly ScriptedTurn[];
}

/** At least so many model calls in a script. */
export const MODEL_CALLS_MIN = 6;

export function writeScript(seed: number): Script {
  const random = new Random("script", seed);
  const isPair = random.happens(0.35);
  const first = isPair ? random.between(3, 5) : random.between(MODEL_CALLS_MIN, 8);
  const turns = [writeTurn(`first-${seed}`, first, random)];
  if (isPair)
    turns.push(
      writeTurn(`second-${seed}`, Math.max(2, MODEL_CALLS_MIN - first + random.below(2)), random),
    );
  return { seed, turns };
}

export function linesOf(turn: ScriptedTurn): readonly Line[] {
  return turn.entries.filter((entry) => "calls" in entry);
}

function writeTurn(label: string, modelCalls: number, random: Random): ScriptedTurn {
  const entries: Entry[] = [];
  /** How many tasks the turn's results name by then, and which of them nobody waited for. */
  const tasks = { named: 0, open: [] as number[] };
  for (let line = 0; line < modelCalls - 1; line += 1) {
    if (random.happens(0.1)) entries.push(failing(random));
    entries.push(writeLine(`${label}.${line}`, random, tasks));
  }
  if (random.happens(0.1)) entries.push(failing(random));
  entries.push({ text: `end of ${label}`, calls: [] });
  return { label, entries, whenBusy: random.pick(["queue", "parallel"]) };
}

function failing(random: Random): Failing {
  const status = random.pick([429, 500, 500, 503, 400]);
  const times = status === 400 ? 1 : random.between(1, 2);
  return { fail: { status, times, ...(status === 429 && { retryAfter: 120 }) } };
}

interface Tasks {
  named: number;
  open: number[];
}

function writeLine(place: string, random: Random, tasks: Tasks): Line {
  const calls: ScriptedCall[] = [];
  const open = tasks.open.map((task) => `$task:${task}`);
  if (open.length > 0 && random.happens(0.6)) {
    calls.push(awaitTasks(open, random));
    tasks.open = [];
  }
  const more = calls.length === 0 ? random.between(1, 3) : random.below(2);
  for (let call = 0; call < more; call += 1)
    calls.push(...writeCall(`${place}.${call}`, random, tasks));
  return { text: `at ${place}`, calls };
}

function awaitTasks(taskIds: readonly string[], random: Random): ScriptedCall {
  const input = {
    taskIds,
    ...(random.happens(0.4) && { mode: random.pick(["all", "any"]) }),
    ...(random.happens(0.4) && { maxWaitMs: random.between(1, 90) * 60_000 }),
  };
  return { toolName: "await_tasks", input };
}

const MENU = {
  pay: 3,
  book: 3,
  look: 1,
  fails: 1,
  hangs: 0.7,
  guarded_pay: 2,
  guarded_book: 2,
  pay_beside: 1.5,
  book_beside: 1.5,
  client_tool: 2,
  ask_person: 4,
  ask_user_question: 2,
  asks: 1.5,
  delegate: 1,
  task: 0.7,
  garbage: 0.7,
} as const;

function writeCall(what: string, random: Random, tasks: Tasks): readonly ScriptedCall[] {
  const toolName = random.weighted(MENU);
  switch (toolName) {
    case "pay":
    case "book":
    case "look":
    case "fails":
    case "hangs":
    case "guarded_pay":
    case "guarded_book":
    case "client_tool":
      return [{ toolName, input: { what }, what }];
    case "pay_beside":
    case "book_beside":
    case "asks":
      nameTask(tasks);
      return [{ toolName, input: { what }, what }];
    case "delegate":
      nameTask(tasks);
      return [{ toolName, input: { what, asks: random.happens(0.5) }, what }];
    case "ask_person":
      nameTask(tasks);
      return [{ toolName, input: { question: `${what}?`, ...options(random) }, what }];
    case "ask_user_question":
      return [{ toolName, input: { questions: [formQuestion(what)] }, what }];
    case "task":
      return [taskCall(random, tasks.named)];
    case "garbage":
      return garbage(what, random);
  }
}

function nameTask(tasks: Tasks): void {
  tasks.named += 1;
  tasks.open.push(tasks.named);
}

const YES_OR_NO = [
  { id: "yes", label: "Yes" },
  { id: "no", label: "No" },
];

function options(random: Random): object {
  return random.happens(0.5) ? { options: YES_OR_NO } : {};
}

export function formQuestion(what: string): object {
  return {
    question: `${what}?`,
    header: "Scope",
    options: [
      { label: "Focused", description: "Only this." },
      { label: "Broad", description: "All of it." },
    ],
  };
}

function taskCall(random: Random, named: number): ScriptedCall {
  // A line may name a task of its own step, which has no id yet: a number that the session never gave stands in.
  const taskId = `task_${named === 0 ? 99 : random.between(1, named)}`;
  return { toolName: random.pick(["get_task", "get_task", "cancel_task"]), input: { taskId } };
}

function garbage(what: string, random: Random): readonly ScriptedCall[] {
  switch (random.pick(["unknown", "invalid", "repeated"] as const)) {
    case "unknown":
      return [{ toolName: "no_such_tool", input: { what } }];
    case "invalid":
      return [{ toolName: "pay", input: { what, more: true } }];
    case "repeated":
      return [`${what}a`, `${what}b`].map((each) => ({
        toolName: "book",
        input: { what: each },
        toolCallId: "one_id",
        what: each,
      }));
  }
}
