import { beforeEach, expect, it } from "vitest";
import type { TurnView } from "../../src/core/turn-view.ts";
import { messages, settled } from "./client.ts";
import { accepted, start } from "./journey.ts";
import { asked } from "./shape-agents.ts";

const SCRIPT = [
  { text: "First.", calls: [{ toolName: "list_tasks", input: {} }] },
  { text: "Second.", calls: [{ toolName: "list_tasks", input: {} }] },
  { text: "Done." },
];

beforeEach(() => {
  asked.length = 0;
});

async function played(prepare: string, session: string): Promise<TurnView> {
  const extraBody = { script: SCRIPT, prepare };
  const { id } = await accepted<TurnView>(
    start(SCRIPT, { agent: "shortened", session, extraBody }),
  );
  return settled(id);
}

it("shows the model what prepareMessages leaves, and stores the conversation whole", async () => {
  const turn = await played("latestStep", "prepare-latest-step");
  expect(turn).toMatchObject({ status: "completed", text: "Done." });
  expect(asked.map(({ prompt }) => prompt.map(({ role }) => role))).toEqual([
    ["system", "user"],
    ["system", "assistant", "tool"],
    ["system", "assistant", "tool"],
  ]);
  expect(await messages(turn.sessionId)).toHaveLength(6);
});

it("gives prepareMessages copies: what it changes in them is seen, and not stored", async () => {
  const turn = await played("changes", "prepare-changes");
  expect(turn).toMatchObject({ status: "failed", error: { code: "prepare_messages_failed" } });
  const [first] = await messages(turn.sessionId);
  expect(first).toEqual({ role: "user", content: "go" });
});

it.each([
  ["latest", "kept the result of call call_0_0 and dropped the call"],
  ["withoutResults", "dropped call call_0_0 or its result"],
  ["withoutCalls", "kept the result of call call_0_0 and dropped the call"],
  ["nothing", "must return the messages, at least one"],
])("fails the turn at once where prepareMessages returns %s", async (prepare, words) => {
  const turn = await played(prepare, `prepare-${prepare}`);
  expect(turn).toMatchObject({
    status: "failed",
    error: { code: "prepare_messages_failed", retryable: false },
  });
  expect(turn.error?.message).toContain(words);
});

it("tries again where prepareMessages throws, as where a model does", async () => {
  const extraBody = { script: SCRIPT, prepare: "throws" };
  const first = await accepted<TurnView>(
    start(SCRIPT, { agent: "shortened", session: "prepare-throws", extraBody }),
  );
  const turn = await settled(first.id);
  expect(turn).toMatchObject({
    status: "failed",
    error: {
      code: "prepare_messages_failed",
      message: "the summariser is down",
      retryable: true,
    },
    attempts: 2,
  });
});

it("gives prepareMessages one copy of each message, however often it looks, and keeps what it puts in", async () => {
  const turn = await played("looksTwice", "prepare-looks-twice");
  expect(turn).toMatchObject({ status: "completed", text: "Done." });
  expect(asked.map(({ prompt }) => prompt.at(1)?.content)).toEqual([
    [{ type: "text", text: "seen" }],
    [{ type: "text", text: "seen" }],
    [{ type: "text", text: "seen" }],
  ]);
  const [first] = await messages(turn.sessionId);
  expect(first).toEqual({ role: "user", content: "go" });
});
