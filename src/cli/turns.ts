/** Owns: `holdpoint turns` and `holdpoint tail`: turns as they are, and what happens in them as it happens. */

import type { Command } from "commander";
import type { Turn } from "../client.ts";
import { harmlessJson } from "./harmless.ts";
import { eventLine, turnLine, turnText } from "./shown.ts";
import { clientOf, type Reached, say, sayJson, untilInterrupted } from "./terminal.ts";

interface Flags extends Reached {
  readonly json?: true;
}

interface ListFlags extends Flags {
  readonly status?: Turn["status"] | "all";
  readonly agent?: string;
  readonly limit: string;
}

interface TailFlags extends Flags {
  readonly after?: string;
}

export function addTurns(program: Command): void {
  const turns = program
    .command("turns")
    .description("turns of all sessions, or one of them")
    .option("--status <status>", "queued, running, parked, completed, failed, cancelled or all")
    .option("--agent <agent>", "of one agent")
    .option("--limit <count>", "so many at most", "50")
    .option("--json", "print JSON")
    .action(async (_: unknown, command: Command) => {
      const { status, agent, limit, json, ...flags }: ListFlags = command.optsWithGlobals();
      const found: Turn[] = [];
      const max = Number(limit);
      const list = clientOf(flags).turns.list({ status, agent, limit: Math.min(max, 100) });
      for await (const turn of list) {
        found.push(turn);
        if (found.length >= max) break;
      }
      if (json === true) return sayJson(found);
      if (found.length === 0) return say("There is no such turn.");
      for (const turn of found) say(turnLine(turn, Date.now()));
    });

  turns
    .command("show <turn>")
    .description("all of a turn")
    .option("--json", "print JSON")
    .action(async (id: string, _: unknown, command: Command) => {
      const flags: Flags = command.optsWithGlobals();
      const turn = await clientOf(flags).turns.get(id);
      if (flags.json === true) sayJson(turn);
      else say(turnText(turn, Date.now()));
    });

  program
    .command("tail <turn-or-session>")
    .description("the events of a turn to its end, or of a session until Ctrl+C")
    .option("--after <event>", "only those behind the event with this id")
    .option("--json", "print JSON, an event a line")
    .action(async (id: string, _: unknown, command: Command) => {
      const { after, json, ...flags }: TailFlags = command.optsWithGlobals();
      const client = clientOf(flags);
      const family = /^turn_[0-9a-f]{32}$/.test(id) ? client.turns : client.sessions;
      const signal = untilInterrupted();
      try {
        for await (const event of family.events(id, { after, signal }))
          if (json === true) say(harmlessJson(event, 0));
          else if (event.type !== "text.delta") say(eventLine(event));
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    });
}
