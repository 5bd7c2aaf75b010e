/**
 * The runtime killed at random moments under load, again and again, on one folder; and then, from outside, what callers
 * were promised. As an environment variable: KILLS how many.
 */

import { setTimeout as elapsed } from "node:timers/promises";
import { expect, it } from "vitest";
import { malformation } from "../simulation/conversation.ts";
import { startApp } from "./app.ts";
import { temporaryFolder } from "./dev-server.ts";
import { ledgerServer } from "./ledger-server.ts";
import { resultsOf } from "./client.ts";
import { Answers, Lane } from "./torture-lane.ts";
import { until } from "./until.ts";
import type { WorkerdServer } from "./workerd-server.ts";

const KILLS = Number(process.env["KILLS"] ?? "6");
/** Conversations at a time. */
const LANES = 12;
/** A life of the process ends behind a random number of answers, so that each sees some progress on any machine, */
const ANSWERS_MAX = 16;
/** or where none come, since all waits for alarms; */
const IDLE_MAX_MS = 2_000;
/** and then at a random moment of the work that goes on, in milliseconds. */
const WORK_MS = 50;
it(
  `loses no answer and repeats no effect over ${KILLS} kills under load`,
  { timeout: 300_000 + KILLS * 3_000 },
  async () => {
    await using folder = await temporaryFolder();
    await using ledger = await ledgerServer();
    const start = (port: number) =>
      startApp({ folder: folder.path, variables: { PLAYGROUND: "1" }, port });

    let server: WorkerdServer = await start(0);
    await using cleanUp = new AsyncDisposableStack();
    cleanUp.defer(() => server.kill());
    const port = Number(new URL(server.url).port);
    /** What a request that met a dead process waits for before it is sent again. */
    let up = Promise.resolve();
    const answers = new Answers();
    const lanes = Array.from(
      { length: LANES },
      (_, n) => new Lane({ n, url: server.url, up: () => up, answers, ledger: ledger.url }),
    );
    let isOver = false;
    const load = Promise.all(lanes.map((lane) => lane.run(() => isOver)));

    for (let kill = 0; kill < KILLS; kill += 1) {
      await Promise.race([answers.more(Math.random() * ANSWERS_MAX), elapsed(IDLE_MAX_MS)]);
      await elapsed(Math.random() * WORK_MS);
      const { promise, resolve } = Promise.withResolvers<void>();
      up = promise;
      await server.kill();
      server = await start(port);
      resolve();
    }
    isOver = true;
    await load;

    const finished = lanes.flatMap((lane) => lane.finished);
    const sum = (count: (lane: Lane) => number) =>
      lanes.reduce((all, lane) => all + count(lane), 0);
    console.log(
      `${KILLS} kills, ${finished.length} conversations, ${sum(({ retried }) => retried)} times one was killed too often and driven on, ${sum(({ resent }) => resent)} requests sent again`,
    );
    for (const { name, turn, answered, messages } of finished) {
      expect(turn, name).toMatchObject({ status: "completed", text: `${name} is done.` });
      expect(answered, name).toMatchObject({ status: "answered", answeredBy: name });
      expect(malformation(messages), name).toBeUndefined();
      // Reported where it was interrupted, and never run again.
      expect(ledger.keys(`/${name}/charge`).length, name).toBeLessThanOrEqual(1);
      // Under one key, however often it ran; one that was killed too often is given up, and says so.
      const all = resultsOf(messages, "retry_http").map((result) => JSON.stringify(result));
      const told = all.slice(-2);
      for (const [n, path] of [`/${name}/notify`, `/${name}/confirm`].entries()) {
        const keys = new Set(ledger.keys(path));
        expect(keys.size, path).toBeLessThanOrEqual(1);
        if (keys.size === 0) expect(told[n], path).toContain("FAILED");
        else expect(told[n], path).toMatch(/"status":200|FAILED/);
      }
    }
    const [caller] = lanes;
    if (caller === undefined) throw new Error("nobody called");
    for (const { answered, name } of finished)
      expect(await caller.get(`/v1/questions/${answered.requestId}`), name).toMatchObject({
        status: "answered",
        answer: answered.answer,
        answeredBy: name,
        answeredAt: answered.answeredAt,
      });
    // The inbox is told behind each commit, at the latest by an alarm.
    await until("the inbox lists nothing that waits", async () => {
      const { items } = await caller.get<{ items: readonly unknown[] }>("/v1/questions");
      return items.length === 0 ? true : undefined;
    });
    expect(await caller.get("/v1/health/overdue")).toMatchObject({ overdue: 0 });
  },
);
