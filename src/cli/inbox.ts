/** Owns: `holdpoint inbox`: listing questions, live too, showing one, answering and declining it. */

import { setTimeout as delay } from "node:timers/promises";
import type { Command } from "commander";
import type { Client, Question } from "../client.ts";
import { type AnswerFlags, answerByAsking, answerOfFlags } from "./answering.ts";
import { harmlessJson, harmlessLine } from "./harmless.ts";
import { questionLine, questionText } from "./shown.ts";
import {
  clientOf,
  lines,
  type Reached,
  say,
  sayJson,
  untilInterrupted,
  whoAmI,
} from "./terminal.ts";

interface Filter {
  readonly status?: Question["status"] | "all";
  readonly session?: string;
  readonly kind?: Question["kind"];
  readonly agent?: string;
  readonly to?: string;
  readonly limit: string;
}

interface ListFlags extends Filter, Reached {
  readonly watch?: true;
  readonly json?: true;
}

interface OneFlags extends Reached {
  readonly json?: true;
}

interface SettleFlags extends OneFlags, AnswerFlags {
  readonly by: string;
}

const WATCH_MS = 2_000;
const CLEAR_SCREEN = "\u001b[H\u001b[2J";

export function addInbox(program: Command): void {
  const inbox = listing(
    program.command("inbox").description("the questions that wait, or one of them"),
  );
  listing(inbox.command("list").description("the same as inbox alone"));
  inbox
    .command("show <question>")
    .description("all of a question")
    .option("--json", "print JSON")
    .action(async (id: string, _: unknown, command: Command) => {
      const flags: OneFlags = command.optsWithGlobals();
      print(await clientOf(flags).questions.get(id), flags);
    });

  inbox
    .command("answer <question>")
    .description("answer a question; asks for the answer where no flag gives it")
    .option("-o, --option <id...>", "the option, or several where several may be chosen")
    .option("-t, --text <text>", "a text, alone or beside an option")
    .option("--value <json>", "a value, where the question has an answerSchema")
    .option("--approve", "allow the tool call")
    .option("--deny", "don't allow it")
    .option("--reason <text>", "why not")
    .option("--answer <json>", "the whole answer, as the API takes it")
    .option("--by <name>", "who answers", whoAmI())
    .option("--json", "print JSON")
    .action(async (id: string, _: unknown, command: Command) => {
      const flags: SettleFlags = command.optsWithGlobals();
      const client = clientOf(flags);
      const question = await client.questions.get(id);
      const answer = answerOfFlags(flags, question) ?? (await asked(question));
      print(await client.questions.answer(id, { answer, answeredBy: flags.by }), flags);
    });

  inbox
    .command("decline <question>")
    .description("say that there will be no answer")
    .option("--reason <text>", "why")
    .option("--by <name>", "who declines", whoAmI())
    .option("--json", "print JSON")
    .action(async (id: string, _: unknown, command: Command) => {
      const { by: answeredBy, reason, ...flags }: SettleFlags = command.optsWithGlobals();
      print(await clientOf(flags).questions.decline(id, { answeredBy, reason }), flags);
    });
}

/** `inbox` and `inbox list` are one command, and each shows its flags. */
function listing(command: Command): Command {
  return command
    .option("--status <status>", "waiting, answered, declined, cancelled, expired or all")
    .option("--session <session>", "of one session, by its id or its name")
    .option("--kind <kind>", "person, form, approval or tool")
    .option("--agent <agent>", "of one agent")
    .option("--to <recipient>", "for one recipient")
    .option("--limit <count>", "so many at most", "50")
    .option("-w, --watch", "go on, and show what changes")
    .option("--json", "print JSON")
    .action(listQuestions);
}

async function listQuestions(_: unknown, command: Command): Promise<void> {
  const flags: ListFlags = command.optsWithGlobals();
  const client = clientOf(flags);
  if (flags.watch === true) return watch(client, flags);
  const found = await read(client, flags);
  if (flags.json === true) return sayJson(found);
  if (found.length === 0) return say("No question waits here.");
  for (const question of found) say(questionLine(question, Date.now()));
}

function print(question: Question, { json }: OneFlags): void {
  if (json === true) sayJson(question);
  else say(questionText(question, Date.now()));
}

async function asked(question: Question): ReturnType<typeof answerByAsking> {
  process.stderr.write(`${questionText(question, Date.now())}\n\n`);
  const input = lines();
  try {
    return await answerByAsking(question, (prompt) => input.ask(prompt));
  } finally {
    input.close();
  }
}

async function read(
  client: Client,
  { status, session: sessionId, kind, agent, to, limit }: Filter,
  signal?: AbortSignal,
): Promise<readonly Question[]> {
  const found: Question[] = [];
  const max = Number(limit);
  const page = Math.min(max, 100);
  const list = client.questions.list({ status, sessionId, kind, agent, to, limit: page, signal });
  for await (const question of list) {
    found.push(question);
    if (found.length >= max) break;
  }
  return found;
}

/** On a terminal the list as it is now; elsewhere a line for each question that comes or changes. */
async function watch(client: Client, flags: ListFlags): Promise<void> {
  const signal = untilInterrupted();
  let before = new Map<string, string>();
  try {
    for (;;) {
      const found = await read(client, flags, signal);
      const now = Date.now();
      if (process.stdout.isTTY) {
        const shown = found.map((question) => questionLine(question, now));
        const count = `${found.length} ${found.length === 1 ? "question" : "questions"}, Ctrl+C ends`;
        process.stdout.write(`${CLEAR_SCREEN}${[...shown, "", count].join("\n")}\n`);
      } else {
        for (const question of found)
          if (before.get(question.requestId) !== question.status)
            if (flags.json === true) say(harmlessJson(question, 0));
            else say(questionLine(question, now));
        const open = new Set(found.map(({ requestId }) => requestId));
        for (const id of before.keys()) if (!open.has(id)) say(`${harmlessLine(id)}  gone`);
      }
      before = new Map(found.map(({ requestId, status }) => [requestId, status]));
      await delay(WATCH_MS, undefined, { signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
