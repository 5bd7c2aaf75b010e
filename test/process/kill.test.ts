import { afterAll, beforeAll, expect, it } from "vitest";
import type { TurnView } from "../../src/core/turn-view.ts";
import { type Client, clientOf, resultsOf } from "./client.ts";
import { startApp } from "./app.ts";
import { temporaryFolder } from "./dev-server.ts";
import type { WorkerdServer } from "./workerd-server.ts";
import { effects } from "./effects.ts";
import { ledgerServer } from "./ledger-server.ts";

/**
 * One death, which finds three turns: one with two tools in mid-flight, one that is parked, and one whose question was
 * answered a moment ago. From the next start on nothing is sent until the ledger has seen that turns went on by themselves.
 */
const cleanUp = new AsyncDisposableStack();
const ledger = cleanUp.use(await ledgerServer());
const folder = cleanUp.use(await temporaryFolder());

async function begin(): Promise<{ readonly server: WorkerdServer; readonly client: Client }> {
  const variables = { PLAYGROUND: "1" };
  const server = cleanUp.use(await startApp({ folder: folder.path, variables }));
  return { server, client: clientOf(server.url) };
}

let client: Client;
let running: TurnView;
let parked: TurnView;
let answered: TurnView;

beforeAll(async () => {
  const first = await begin();
  parked = await first.client.start(asking("parked"));
  answered = await first.client.start(asking("answered", { thinksMs: 2_000 }));
  const holds = ["/running/charge", "/running/notify"].map((path) => ledger.hold(path));
  running = await first.client.accept(asking("running"));
  await ledger.arrived("/running/charge", 1);
  await ledger.arrived("/running/notify", 1);
  await first.client.answer(questionOf(answered), { option: "yes" });
  await first.server.kill();
  for (const release of holds) release();
  expect(ledger.keys("/answered/confirm"), "the kill came before the turn went on").toEqual([]);

  ({ client } = await begin());
  // Nobody calls: only the alarms that stood behind the work can have these come.
  await ledger.arrived("/running/notify", 2);
  await ledger.arrived("/answered/confirm", 1);
}, 240_000);

afterAll(() => cleanUp.disposeAsync());

it("goes on by its alarm after a kill in the middle of tools: repeats the one that may be, under the same key, and reports the other", async () => {
  const again = await client.settled(running.id);
  expect(again).toMatchObject({ status: "parked", waitingFor: [{ taskId: "task_1" }] });
  await client.answer(questionOf(again), { option: "yes" });
  expect(await client.settled(running.id)).toMatchObject({
    status: "completed",
    text: "All done.",
  });

  const [key, repeated, ...more] = ledger.keys("/running/notify");
  expect(key).toBeTruthy();
  expect(repeated).toBe(key);
  expect(more).toEqual([]);
  expect(ledger.keys("/running/charge")).toHaveLength(1);
  const messages = await client.messages(running.sessionId);
  expect(resultsOf(messages, "call_http")).toEqual([
    expect.stringMatching(/^FAILED: .*interrupted.*outcome is unknown/),
    { status: 200, body: { done: "/running/confirm" } },
  ]);
  expect(resultsOf(messages, "retry_http")).toEqual([
    { status: 200, body: { done: "/running/notify" } },
  ]);
});

it("stays parked through a kill, takes the answer, and runs no finished tool again", async () => {
  const still = await client.settled(parked.id);
  expect(withoutOrigin(JSON.stringify(still))).toBe(withoutOrigin(JSON.stringify(parked)));
  await client.answer(questionOf(parked), { option: "yes" });
  expect(await client.settled(parked.id)).toMatchObject({ status: "completed", text: "All done." });
  for (const path of ["/parked/charge", "/parked/notify", "/parked/confirm"])
    expect(ledger.keys(path), path).toHaveLength(1);
});

it("completes by its alarm a turn that was killed right after its answer was accepted", async () => {
  expect(await client.settled(answered.id)).toMatchObject({
    status: "completed",
    text: "All done.",
  });
  for (const path of ["/answered/charge", "/answered/notify", "/answered/confirm"])
    expect(ledger.keys(path), path).toHaveLength(1);
  const [wait] = resultsOf(await client.messages(answered.sessionId), "await_tasks");
  expect(wait).toMatchObject({
    status: "satisfied",
    tasks: [{ status: "answered", answer: { option: "yes" }, answeredBy: "dana" }],
  });
});

function asking(name: string, { thinksMs = 0 } = {}): unknown {
  const confirm = { delayMs: thinksMs, toolName: "call_http" } as const;
  const script = effects((what) => `${ledger.url}/${name}/${what}`, { confirm, end: "All done." });
  return { agent: "playground", input: "go", extraBody: { script } };
}

function questionOf({ waitingFor }: TurnView): string {
  const requestId = waitingFor?.[0]?.requestId;
  if (requestId === undefined) throw new Error("the turn waits for no question");
  return requestId;
}

/** The server's next life has another address, and its links with it. */
function withoutOrigin(text: string): string {
  return text.replaceAll(/http:\/\/localhost:\d+/g, "");
}
