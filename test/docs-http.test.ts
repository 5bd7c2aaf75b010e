import { expect, it } from "vitest";
import { questionSchema } from "../src/core/question.ts";
import {
  answerSchema,
  assignSchema,
  cancelSchema,
  chatStreamQuerySchema,
  declineSchema,
  listDeliveriesQuerySchema,
  listQuestionsQuerySchema,
  listTurnsQuerySchema,
  parkedQuerySchema,
  readTurnQuerySchema,
  rebuildSchema,
  resumeParkedSchema,
  startTurnSchema,
} from "../src/core/requests.ts";
import { createApp } from "../src/inbound/app.ts";
import type { Door } from "../src/inbound/door.ts";
import { PROBLEMS } from "../src/core/problem.ts";
import { turnSchema } from "../src/core/turn-schema.ts";
import { readPage, tableOf } from "./document-tables.ts";

const page = await readPage("docs/http.md");
const routes = tableOf(page, "HTTP: `/v1`");
const named = (heading: string) => tableOf(page, heading).flatMap(({ names }) => names);

it("has a row for each route, and for none that isn't there", () => {
  const app = createApp({} as Door);
  const served = app.routes
    .filter(({ method, path }) => method !== "ALL" && path.startsWith("/v1/"))
    .map(({ method, path }) => `${method} ${path.replaceAll(/:\w+/g, "{}")}`);
  const shown = routes
    .flatMap(({ names }) => names)
    .map((name) => name.replaceAll(/\{\w+\}/g, "{}"));
  expect(shown.toSorted()).toEqual([...new Set(served)].toSorted());
});

it.each([
  ["POST /v1/questions/{question}/answer", answerSchema],
  ["POST /v1/questions/{question}/decline", declineSchema],
  ["POST /v1/questions/{question}/cancel", cancelSchema],
  ["POST /v1/questions/{question}/assign", assignSchema],
  ["GET /v1/deliveries", listDeliveriesQuerySchema],
  ["GET /v1/parked", parkedQuerySchema],
  ["POST /v1/turns/{turn}/cancel", cancelSchema],
  ["POST /v1/resume", resumeParkedSchema],
  ["POST /v1/inbox/rebuild", rebuildSchema],
  ["GET /v1/turns/{turn}", readTurnQuerySchema],
  ["GET /v1/turns", listTurnsQuerySchema],
  ["GET /v1/chat/{chat}/stream", chatStreamQuerySchema],
  ["GET /v1/questions", listQuestionsQuerySchema],
])("names in the row of %s all that it takes", (route, schema) => {
  const input = routes.find(({ names }) => names.includes(route))?.cells[2] ?? "";
  const fields = Array.from(input.matchAll(/(\w+)(?=[=?,} ])/g), ([, field = ""]) => field);
  expect(fields.toSorted()).toEqual(Object.keys(schema.shape).toSorted());
});

it("has a row for each field that starts a turn", () => {
  expect(named("Start a turn").toSorted()).toEqual(
    Object.keys(startTurnSchema.in.shape).toSorted(),
  );
});

it("has a row for each parameter of a list", () => {
  const both = { ...listQuestionsQuerySchema.shape, ...listTurnsQuerySchema.shape };
  expect(named("Lists").toSorted()).toEqual(Object.keys(both).toSorted());
});

it("has a row for each field of a Question and of a Turn", () => {
  expect(named("Questions").toSorted()).toEqual(Object.keys(questionSchema.shape).toSorted());
  const fields = Object.keys(turnSchema.shape);
  const shown = named("Turns").filter((name) => fields.includes(name));
  expect(shown.toSorted()).toEqual(fields.toSorted());
});

it("has a row for each code, with its status", () => {
  const shown = tableOf(page, "Codes").flatMap(({ names, cells }) =>
    names.map((name) => [name, Number(cells[1])] as const),
  );
  const codes = Object.entries(PROBLEMS).map(([code, { status }]) => [code, status] as const);
  expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(codes));
});

it("names every code with which a turn fails", async () => {
  const shown = new Set(named("Turns"));
  for (const file of [
    "src/agent/step.ts",
    "src/agent/rule-time.ts",
    "src/core/plan.ts",
    "src/session/driver.ts",
    "src/session/steps.ts",
  ]) {
    const source = await readPage(file);
    const codes = Array.from(
      source.matchAll(/(?:code: |failedStep\(\s*)"(\w+)"/g),
      ([, code = ""]) => code,
    );
    expect(codes.length, file).toBeGreaterThan(0);
    for (const code of codes) expect(shown, file).toContain(code);
  }
});
