import { Webhook } from "standardwebhooks";
import { expect, it } from "vitest";
import type { Question } from "../../src/core/question.ts";
import { loopback } from "../agent/loopback.ts";
import { startApp } from "./app.ts";
import { temporaryFolder } from "./dev-server.ts";
import type { WorkerdServer } from "./workerd-server.ts";
import { until } from "./until.ts";

const SECRET = "whsec_bm90IHRoZSBvbmUgdGhhdCBucG0gcnVuIGRldiBicmluZ3M=";

async function call<T>({ url }: WorkerdServer, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`${url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: "Bearer dev-key", "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text) as T;
}

it("lets all that came due while the process was dead happen by the alarm, once, and tells who asked", async () => {
  await using folder = await temporaryFolder();
  await using caller = await loopback(() => ({ body: "" }));
  const variables = { PLAYGROUND: "1", WEBHOOK_SECRET: SECRET };
  const options = { folder: folder.path, variables };
  const first = await startApp(options);
  const asked = await call<Question>(first, "/v1/questions", {
    question: "Approve?",
    remind: ["1s", "2s"],
    escalate: [{ after: "2s", to: "lead" }],
    expire: { after: "3s", then: { answer: { text: "Go." } } },
    callback: { url: `${caller.url}/told` },
  });
  await first.kill();
  await until("it is overdue", () =>
    Date.now() > Date.parse(asked.expiresAt ?? "") ? true : undefined,
  );

  await using second = await startApp(options);
  // Nobody calls: only the alarm can have these come.
  const told = () =>
    caller.received.map(({ text, headers }) => {
      const event = new Webhook(SECRET).verify(text, headers as Record<string, string>);
      return event as { type: string; data: Question };
    });
  await until("the caller is told of the end", () =>
    told().some(({ type }) => type === "question.answered") ? true : undefined,
  );
  const { history, answer, answeredBy } = await call<Question>(
    second,
    `/v1/questions/${asked.requestId}`,
  );
  const all = ["asked", "reminded", "reminded", "escalated", "answered"];
  expect(history.map(({ event }) => event)).toEqual(all.map((event) => `question.${event}`));
  expect({ answer, answeredBy }).toEqual({ answer: { text: "Go." }, answeredBy: "default" });
  const types = told().map(({ type }) => type);
  expect(new Set(types).size, "each was told once").toBe(types.length);
  expect(told().at(-1)?.data).toMatchObject({ requestId: asked.requestId, status: "answered" });
});
