import { afterAll, expect, it } from "vitest";
import { clientOf } from "./client.ts";
import { startApp } from "./app.ts";
import { temporaryFolder } from "./dev-server.ts";
import type { WorkerdServer } from "./workerd-server.ts";

const cleanUp = new AsyncDisposableStack();
const folder = cleanUp.use(await temporaryFolder());

afterAll(() => cleanUp.disposeAsync());

const script = [
  { calls: [{ toolName: "ask_person", input: { question: "Go on?" } }] },
  { calls: [{ toolName: "await_tasks", input: { taskIds: ["$task:1"] } }] },
  { text: "Gone on." },
];

/** Each start is a deploy: the agent `playground` is there, or it is not. */
async function deploy(variables: Record<string, string>): Promise<WorkerdServer> {
  return cleanUp.use(await startApp({ folder: folder.path, variables }));
}

it("fails a turn whose agent a deploy took away, with a code that says so, and drives it on once the agent is back", async () => {
  const first = await deploy({ PLAYGROUND: "1" });
  const turn = await clientOf(first.url).start({
    agent: "playground",
    input: "go",
    extraBody: { script },
  });
  expect(turn.status).toBe("parked");
  await first.kill();

  const without = await deploy({});
  const client = clientOf(without.url);
  await client.answer(turn.waitingFor?.[0]?.requestId ?? "", { text: "Yes." });
  expect(await client.settled(turn.id)).toMatchObject({
    status: "failed",
    error: { code: "agent_not_found", message: "there is no agent playground", retryable: true },
  });
  await without.kill();

  const back = await deploy({ PLAYGROUND: "1" });
  const again = clientOf(back.url);
  await again.retry(turn.id);
  expect(await again.settled(turn.id)).toMatchObject({ status: "completed", text: "Gone on." });
}, 240_000);
