import { type FlexibleSchema, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { toolboxOf } from "../../src/agent/tools.ts";
import type { Json } from "../../src/core/json.ts";
import { REFUSAL_ISSUES } from "../../src/core/limits.ts";
import type { Checked } from "../../src/core/refusal.ts";
import { agentsByEnvironment } from "../../src/options.ts";

/** What a tool with this schema finds in an input. */
async function checked(
  inputSchema: FlexibleSchema<unknown>,
  input: Json,
): Promise<Checked<unknown>> {
  const agents = agentsByEnvironment({
    model: new MockLanguageModelV4(),
    system: "Pay.",
    tools: { pay: tool({ inputSchema, execute: () => "paid" }) },
  });
  const agent = agents({}).get("default") ?? expect.fail("there is no agent");
  const pay = (await toolboxOf(agent, true)).get("pay") ?? expect.fail("there is no tool");
  return pay.check(input);
}

/** A schema of a library that has but Standard Schema, which gives issues as they are. */
function standardSchema(issues: readonly object[]): FlexibleSchema<unknown> {
  return {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: () => ({ issues }),
      jsonSchema: { input: () => ({ type: "object" }) },
    },
  } as unknown as FlexibleSchema<unknown>;
}

describe("what a tool's own schema finds in an input", () => {
  it("is told with its place written as everywhere else", async () => {
    const schema = z.object({ payments: z.array(z.object({ amount: z.number() })) });
    expect(await checked(schema, { payments: [{ amount: "5" }] })).toEqual({
      ok: false,
      issues: [
        {
          path: "payments[0].amount",
          message: "Invalid input: expected number, received string",
        },
      ],
    });
  });

  it("is told without the input, of a library that gives issues and no error", async () => {
    const path = ["payments", { key: 0 }, { key: "amount" }];
    const schema = standardSchema([{ message: "must be a number", path }, { message: "is late" }]);
    expect(await checked(schema, { payments: [{ amount: "secret" }] })).toEqual({
      ok: false,
      issues: [
        { path: "payments[0].amount", message: "must be a number" },
        { path: "", message: "is late" },
      ],
    });
  });

  it("is bounded, however much it is", async () => {
    const many = Array.from({ length: 1_000 }, (_, place) => ({
      message: "m".repeat(10_000),
      path: [place],
    }));
    const found = await checked(standardSchema(many), {});
    if (found.ok) return expect.fail("it was taken");
    expect(found.issues).toHaveLength(REFUSAL_ISSUES);
    for (const { message } of found.issues) expect(message).toMatch(/^m{511}…$/);
  });
});
