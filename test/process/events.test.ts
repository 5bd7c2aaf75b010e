import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { createParser } from "eventsource-parser";
import { expect, it } from "vitest";
import { type SessionEvent, sessionEventSchema } from "../../src/core/session-event.ts";
import { clientOf } from "./client.ts";
import { startApp } from "./app.ts";
import { temporaryFolder } from "./dev-server.ts";
import { until } from "./until.ts";

/** `curl -N` as it reads a stream of events. */
interface Curl {
  readonly events: readonly SessionEvent[];
  /** Its exit code, once the stream has ended. */
  ended(): Promise<number | null>;
}

function curl(url: string, lastEventId?: string): Curl {
  const headers = ["-H", "Authorization: Bearer dev-key"];
  if (lastEventId !== undefined) headers.push("-H", `Last-Event-ID: ${lastEventId}`);
  const child: ChildProcessByStdio<null, Readable, null> = spawn(
    "curl",
    ["-N", "-s", "-f", url, ...headers],
    { stdio: ["ignore", "pipe", "ignore"] },
  );
  const exited = once(child, "close");
  const events: SessionEvent[] = [];
  const parser = createParser({
    onEvent: ({ id, data }) => {
      const event = sessionEventSchema.parse(JSON.parse(data));
      events.push(id === undefined ? event : { ...event, id });
    },
    onError: (error) => {
      throw error;
    },
  });
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => parser.feed(chunk));
  return {
    events,
    ended: async () => {
      await exited;
      return child.exitCode;
    },
  };
}

const SCRIPT = [
  { text: "Asking.", calls: [{ toolName: "ask_person", input: { question: "Go on?" } }] },
  { calls: [{ toolName: "await_tasks", input: { taskIds: ["$task:1"] } }] },
  { text: "It is done." },
];

it("tells a turn over curl, and after a kill of the server exactly the rest, to its end", async () => {
  await using folder = await temporaryFolder();
  const options = { folder: folder.path, variables: { PLAYGROUND: "1" } };
  await using server = await startApp(options);
  const body = { agent: "playground", input: "go", extraBody: { script: SCRIPT } };
  const turn = await clientOf(server.url).accept(body);
  const path = `/v1/turns/${turn.id}/events`;
  const before = curl(server.url + path);
  await until("the turn is parked", () => before.events.find(({ type }) => type === "turn.parked"));
  await server.kill();
  expect(await before.ended(), "the stream broke").not.toBe(0);

  await using again = await startApp(options);
  const client = clientOf(again.url);
  const told = before.events.filter(({ id }) => id !== undefined);
  const after = curl(again.url + path, told.at(-1)?.id);
  await client.answer((await client.settled(turn.id)).waitingFor?.[0]?.requestId ?? "", {
    text: "Yes.",
  });
  expect(await after.ended()).toBe(0);
  expect(after.events.at(-1)).toMatchObject({ type: "turn.completed", text: "It is done." });
  const whole = curl(again.url + path);
  expect(await whole.ended()).toBe(0);
  told.push(...after.events.filter(({ id }) => id !== undefined));
  const ids = (events: readonly SessionEvent[]) => events.map(({ id, type }) => `${id} ${type}`);
  expect(ids(told)).toEqual(ids(whole.events));
}, 240_000);
