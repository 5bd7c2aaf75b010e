import { afterEach, expect, it } from "vitest";
import { answer, call, fireAlarm, messages, play, settled } from "./client.ts";
import { faults } from "./faults.ts";
import { ledger } from "./ledger.ts";
import { deriveSessionKey, formatSessionId } from "../../src/core/ids.ts";
import type { TurnView } from "../../src/core/turn-view.ts";

/** A question, an approval and two tools: all that a turn can wait for or do. */
const SCRIPT = [
  {
    text: "First.",
    calls: [
      { toolName: "charge", input: { what: "charge" } },
      { toolName: "ask_person", input: { question: "Go on?" } },
    ],
  },
  { calls: [{ toolName: "await_tasks", input: { taskIds: ["$task:1"] } }] },
  {
    calls: [
      { toolName: "refund", input: { what: "refund" } },
      { toolName: "notify", input: { what: "notify" } },
    ],
  },
  { text: "All done." },
];

afterEach(() => {
  faults.crashAfter(0);
  ledger.clear();
});

/** Answers whatever the turn waits for until it is settled; where the object dies, its alarm or the next request revives it. */
async function seeThrough(sessionId: string, turnId: string): Promise<TurnView> {
  for (;;) {
    const turn = await revived(sessionId, turnId);
    if (turn.status !== "parked") return turn;
    for (const wait of turn.waitingFor ?? []) {
      const body = wait.taskId === undefined ? { approved: true } : { text: "Yes, go on." };
      // The object may die while it takes the answer: then the same answer is sent again.
      await answer(wait.requestId ?? "", body).catch(() => answer(wait.requestId ?? "", body));
    }
  }
}

async function revived(sessionId: string, turnId: string): Promise<TurnView> {
  await fireAlarm(sessionId).catch(() => false);
  return settled(turnId).catch(() => revived(sessionId, turnId));
}

/** The first call may still meet the dying object; the one after it meets its next life. */
function alarmAfterDeath(sessionId: string): Promise<boolean> {
  return fireAlarm(sessionId).catch(() => fireAlarm(sessionId));
}

/** Starts a turn; where the object dies while it accepts, the same request is sent again. */
async function start(session: string, agent: string, script: unknown): Promise<TurnView> {
  const path = `/v1/sessions/${session}/turns`;
  const send = () =>
    call("POST", path, { agent, input: "go", extraBody: { script } }, { "idempotency-key": "one" });
  const first = await send();
  const accepted = first.ok ? first : await send();
  return accepted.json();
}

/** A recovery takes numbers and time of its own: ids and times differ, all else must not. */
function comparable(transcript: unknown[]): unknown[] {
  const text = JSON.stringify(transcript)
    .replaceAll(/q_[0-9a-f]{32}/g, "q_")
    .replaceAll(/"answeredAt":"[^"]+"/g, '"answeredAt":""');
  return JSON.parse(text) as unknown[];
}

async function startAndSeeThrough(
  session: string,
): Promise<{ turn: TurnView; transcript: unknown[] }> {
  const { id, sessionId } = await start(session, "retrying", SCRIPT);
  const turn = await seeThrough(sessionId, id);
  return { turn, transcript: comparable(await messages(sessionId)) };
}

it("ends a turn that is crashed after each commit in turn with the same answer, the same transcript and each effect once", async () => {
  faults.crashAfter(0);
  ledger.clear();
  const whole = await startAndSeeThrough("whole");
  const { commits } = faults;
  expect(whole.turn).toMatchObject({ status: "completed", text: "All done." });
  expect(ledger.effects).toEqual(["charge", "notify", "refund"]);
  expect(ledger.tries).toBe(3);
  expect(commits).toBeGreaterThanOrEqual(8);

  for (let at = 1; at <= commits; at += 1) {
    ledger.clear();
    faults.crashAfter(at);
    const crashed = await startAndSeeThrough(`crashed-${at}`);
    expect(faults.crashed, `no crash at commit ${at}`).toBe(true);
    expect(crashed.turn, `crashed at commit ${at}`).toMatchObject({
      status: "completed",
      text: "All done.",
    });
    expect(crashed.transcript, `crashed at commit ${at}`).toEqual(whole.transcript);
    expect(ledger.effects, `crashed at commit ${at}`).toEqual(["charge", "notify", "refund"]);
  }
});

it("tells the model that the outcome is unknown where a tool that is not repeated was interrupted", async () => {
  faults.crashAfter(2);
  const script = [{ calls: [{ toolName: "charge", input: { what: "charge" } }] }, { text: "end" }];
  const { id, sessionId } = await start("interrupted", "reporting", script);
  expect(await alarmAfterDeath(sessionId)).toBe(true);
  expect(await settled(id)).toMatchObject({ status: "completed" });
  expect(ledger.tries).toBe(0);
  expect(JSON.stringify(await messages(sessionId))).toContain("its outcome is unknown");
});

it("arms an alarm with the commit that starts a turn, and none while the turn is parked without a deadline", async () => {
  const sessionId = formatSessionId(await deriveSessionKey({ from: "name", name: "alarmed" }));
  faults.crashAfter(1);
  const script = [{ calls: [{ toolName: "ask_user_question", input: FORM }] }];
  const body = { agent: "retrying", input: "go", extraBody: { script } };
  expect((await call("POST", "/v1/sessions/alarmed/turns", body)).status).toBe(500);
  expect(await alarmAfterDeath(sessionId)).toBe(true);
  const session = await call("GET", `/v1/sessions/${sessionId}`);
  const { turns } = await session.json<{ turns: TurnView[] }>();
  expect(await settled(turns[0]?.id ?? "")).toMatchObject({ status: "parked" });
  expect(await fireAlarm(sessionId)).toBe(false);
});

it("fails a turn whose object dies each time, and leaves the session usable", async () => {
  const sessionId = formatSessionId(await deriveSessionKey({ from: "name", name: "poisoned" }));
  const body = { agent: "retrying", input: "go", extraBody: { script: [{ text: "done" }] } };
  faults.crashAlways();
  await call("POST", "/v1/sessions/poisoned/turns", body);
  for (let life = 2; life <= 6; life += 1) await alarmAfterDeath(sessionId).catch(() => false);
  faults.crashAfter(0);
  const session = await call("GET", `/v1/sessions/${sessionId}`);
  const { turns } = await session.json<{ turns: TurnView[] }>();
  expect(turns[0]).toMatchObject({ status: "failed", error: { code: "interrupted" } });
  expect(await play([{ text: "well" }], { agent: "retrying", session: sessionId })).toMatchObject({
    text: "well",
  });
});

const FORM = {
  questions: [
    {
      question: "Which scope?",
      header: "Scope",
      options: [
        { label: "Focused", description: "Only this." },
        { label: "Broad", description: "All of it." },
      ],
    },
  ],
};
