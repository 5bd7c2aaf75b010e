import { beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { scriptModel } from "../../src/agent/script-model.ts";
import type { TurnView } from "../../src/core/turn-view.ts";
import { createHarness, generateHarness } from "../../src/holdpoint.ts";
import { answer, call, messages, settled } from "./client.ts";
import { accepted, ask, awaitTasks, onlyRequest, refusal, start } from "./journey.ts";
import { asked } from "./shape-agents.ts";
import { harness } from "./worker.ts";

const SCHEMA = {
  type: "object",
  properties: { total: { type: "integer" } },
  required: ["total"],
  additionalProperties: false,
};
const output = { schema: SCHEMA };

beforeEach(() => {
  asked.length = 0;
});

async function ended(script: unknown, more: Record<string, unknown> = {}): Promise<TurnView> {
  const { id } = await accepted<TurnView>(start(script, { output, agent: "shaped", ...more }));
  return settled(id);
}

it("ends with the value that was asked for, beside the text that it was", async () => {
  const turn = await ended([{ text: '```json\n{ "total": 7 }\n```' }]);
  expect(turn).toMatchObject({
    status: "completed",
    output: { total: 7 },
    text: '```json\n{ "total": 7 }\n```',
    usage: { steps: 1 },
  });
});

it("tells the model once what is wrong", async () => {
  const turn = await ended([{ text: "It is seven." }, { text: '{"total":7}' }]);
  expect(turn).toMatchObject({ status: "completed", output: { total: 7 }, usage: { steps: 2 } });
  expect(await messages(turn.sessionId)).toEqual([
    { role: "user", content: "go" },
    { role: "assistant", content: [{ type: "text", text: "It is seven." }] },
    {
      role: "user",
      content:
        "Your last message is not the output that was asked for:\nis not one JSON value\nAnswer with the JSON value alone.",
    },
    { role: "assistant", content: [{ type: "text", text: '{"total":7}' }] },
  ]);
});

it("names the schema to the model, to the provider too where no tools are declared", async () => {
  await ended([{ text: '{"total":1}' }], { agent: "bare" });
  await ended([{ text: '{"total":1}' }]);
  expect(asked.map(({ responseFormat }) => responseFormat)).toEqual([
    { type: "json", schema: SCHEMA },
    undefined,
  ]);
  for (const { prompt } of asked)
    expect(JSON.stringify(prompt[0])).toContain("must be one JSON value and nothing else");
});

it("fails where the mended text does not fit either, and a retry gives the model two more tries", async () => {
  const failed = await ended([
    { text: '{"total":"7"}' },
    { text: '{"total":7.5}' },
    { text: "{}" },
    { text: '{"total":8}' },
  ]);
  expect(failed).toMatchObject({
    status: "failed",
    error: { code: "output_invalid", retryable: false },
    usage: { steps: 2 },
  });
  const retried = await accepted<TurnView>(call("POST", `/v1/turns/${failed.id}/retry`));
  expect(await settled(retried.id)).toMatchObject({
    status: "completed",
    output: { total: 8 },
    usage: { steps: 4 },
  });
});

it("keeps the output that was asked for over a park", async () => {
  const parked = await ended([
    { calls: [ask()] },
    { calls: [awaitTasks(["$task:1"])] },
    { text: "Not JSON." },
    { text: '{"total":3}' },
  ]);
  expect(parked.status).toBe("parked");
  await answer(onlyRequest(parked), { text: "Three." });
  expect(await settled(parked.id)).toMatchObject({ status: "completed", output: { total: 3 } });
});

it("takes calls between a refused text and the output", async () => {
  const turn = await ended([
    { text: "Let me see." },
    { calls: [{ toolName: "list_tasks", input: {} }] },
    { text: '{"total":0}' },
  ]);
  expect(turn).toMatchObject({ status: "completed", output: { total: 0 }, usage: { steps: 3 } });
});

it("refuses an output whose schema can't be used", async () => {
  const problem = await refusal(start([], { output: { schema: { type: "nonsense" } } }));
  expect(problem).toMatchObject({
    status: 400,
    code: "invalid_request",
    issues: expect.arrayContaining([
      {
        path: "output.schema.type",
        message: 'must be one of ["array","boolean","integer","null","number","object","string"]',
      },
    ]),
  });
  const remote = await refusal(
    start([], { output: { schema: { $ref: "https://example.com/schema" } } }),
  );
  expect(remote.issues?.[0]?.path).toBe("output.schema.$ref");
});

it("checks an input of a named shape, shows it as it came, and gives the turn the shape's output", async () => {
  const loan = { income: 5_000, debt: 2_350 };
  const script = [{ text: '{"approve":true}' }];
  const turn = await ended(script, { inputType: "loan", input: loan, output: undefined });
  expect(turn).toMatchObject({
    status: "completed",
    inputType: "loan",
    input: loan,
    output: { approve: true },
  });
  const [first] = await messages(turn.sessionId);
  expect(first).toEqual({ role: "user", content: JSON.stringify(loan) });
  const own = await ended([{ text: '{"total":1}' }], { inputType: "loan", input: loan });
  expect(own).toMatchObject({ status: "completed", output: { total: 1 } });
});

it.each([
  ["loan", { income: -1, debt: 0 }, "input.income"],
  ["loan", "a text", "input"],
  ["note", "too long", "input"],
  ["unknown", "a text", "inputType"],
  ["constructor", "a text", "inputType"],
])("refuses an input that is no %s", async (inputType, input, path) => {
  const problem = await refusal(start([], { agent: "shaped", inputType, input }));
  expect(problem).toMatchObject({ status: 400, code: "invalid_request", issues: [{ path }] });
});

it("takes zod for a schema from the Worker's own code, and refuses one that has no JSON Schema", async () => {
  const options = { harness, agent: "shaped", prompt: "go" };
  const script = [{ text: '{"total":4}' }];
  const total = z.strictObject({ total: z.int() });
  expect(
    await generateHarness({ ...options, output: { schema: total }, extraBody: { script } }),
  ).toMatchObject({ status: "completed", text: '{"total":4}', output: { total: 4 } });
  const transformed = generateHarness({
    ...options,
    output: { schema: z.string().transform(Number) },
  });
  await expect(transformed).rejects.toMatchObject({
    code: "invalid_request",
    issues: [{ path: "output.schema", message: "has no JSON Schema: leave transforms out" }],
  });
});

it("says which option of createHarness has a schema that can't be used", () => {
  const agent = { model: scriptModel, system: "You play a script." };
  const schema = { type: "nonsense" };
  expect(() => createHarness({ ...agent, inputTypes: { loan: { schema } } })).toThrow(
    "createHarness: inputTypes.loan.schema.type: ",
  );
});
