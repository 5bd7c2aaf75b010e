import { expect, it } from "vitest";
import { isJsonObject, type Json } from "../../src/core/json.ts";
import { completion } from "../agent/model-step.ts";
import { type Answer, loopback, type Received } from "../agent/loopback.ts";
import { clientOf } from "./client.ts";
import { startApp } from "./app.ts";
import { temporaryFolder } from "./dev-server.ts";

const INPUT = "Pre-approve APP-1008: income 5000, debt 2350";
const OPTIONS = [
  { id: "approve", label: "Approve" },
  { id: "deny", label: "Deny" },
];

it("asks a person, parks and completes with a model behind an OpenAI-compatible endpoint", async () => {
  await using provider = await loopback(reply);
  await using folder = await temporaryFolder();
  await using server = await startApp({
    folder: folder.path,
    variables: {
      MODEL: "compatible:test-model",
      COMPATIBLE_BASE_URL: `${provider.url}/v1`,
      COMPATIBLE_API_KEY: "key-1",
    },
  });
  const client = clientOf(server.url);

  const parked = await client.start({ input: INPUT });
  expect(parked).toMatchObject({
    status: "parked",
    waitingFor: [{ kind: "question", taskId: "task_1", question: "Approve APP-1008?" }],
  });
  expect(provider.received).toHaveLength(2);
  await client.answer(parked.waitingFor?.[0]?.requestId ?? "", { option: "deny" });
  expect(await client.settled(parked.id)).toMatchObject({
    status: "completed",
    text: "The underwriter says: deny.",
    usage: { inputTokens: 21, outputTokens: 9, steps: 3 },
  });

  expect(provider.received).toHaveLength(3);
  for (const { path, headers, text } of provider.received) {
    expect([path, headers.authorization]).toEqual(["/v1/chat/completions", "Bearer key-1"]);
    const { model, messages, tools } = JSON.parse(text) as Sent;
    expect(model).toBe("test-model");
    expect(messages.map(({ role }) => role).slice(0, 2)).toEqual(["system", "user"]);
    expect(tools.map((tool) => tool.function.name)).toEqual(
      expect.arrayContaining(["ask_person", "await_tasks", "look_up_application", "send_email"]),
    );
    expect(callsWithoutOneResult(messages)).toEqual([]);
  }
});

it("fails the first turn with the name of the key that is missing, and of what to set", async () => {
  await using folder = await temporaryFolder();
  await using server = await startApp({
    folder: folder.path,
    variables: { MODEL: "openai:gpt-5", OPENAI_API_KEY: "" },
  });
  const turn = await clientOf(server.url).start({ input: INPUT });
  expect(turn).toMatchObject({
    status: "failed",
    error: {
      code: "model_not_configured",
      message: expect.stringMatching(
        /needs OPENAI_API_KEY.*wrangler secret put OPENAI_API_KEY/,
      ) as string,
      retryable: false,
    },
  });
});

interface Sent {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly { readonly function: { readonly name: string } }[];
}

interface ChatMessage {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly { readonly id: string }[];
  readonly tool_call_id?: string;
}

/** A model that asks once, waits, and repeats what it was told. */
function reply({ text }: Received): Answer {
  const { messages } = JSON.parse(text) as Sent;
  const last = messages.at(-1);
  const result: Json = last?.role === "tool" ? (JSON.parse(last.content ?? "null") as Json) : null;
  if (!isJsonObject(result))
    return call("c1", "ask_person", { question: "Approve APP-1008?", options: OPTIONS });
  if (result["status"] === "asked")
    return call("c2", "await_tasks", { taskIds: [result["taskId"] ?? null] });
  const said = /"option":"(\w+)"/.exec(last?.content ?? "")?.[1];
  return completion({ role: "assistant", content: `The underwriter says: ${said}.` });
}

function call(id: string, name: string, input: Json): Answer {
  const made = { id, type: "function", function: { name, arguments: JSON.stringify(input) } };
  return completion({ role: "assistant", content: null, tool_calls: [made] }, "tool_calls");
}

/** The ids of calls that are not followed, before anybody else speaks, by exactly one result; and of stray results. */
function callsWithoutOneResult(messages: readonly ChatMessage[]): readonly string[] {
  const wrong: string[] = [];
  let open: string[] = [];
  for (const { role, tool_calls: calls = [], tool_call_id: id } of messages) {
    if (role === "tool") {
      if (id === undefined || !open.includes(id)) wrong.push(id ?? "a result without an id");
      open = open.filter((other) => other !== id);
      continue;
    }
    wrong.push(...open);
    open = calls.map((made) => made.id);
  }
  return [...wrong, ...open];
}
