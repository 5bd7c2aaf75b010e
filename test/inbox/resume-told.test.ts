import { expect, it, vi } from "vitest";
import { resumeParked } from "../../src/holdpoint.ts";
import { call } from "../workerd/client.ts";
import { harness } from "../workerd/worker.ts";
import { answered, ASKING, parkedTurn } from "./manual.ts";

it("goes on with the others where onResult throws, and then tells of all", async () => {
  const turns = [await parkedTurn("a", ASKING), await parkedTurn("b", ASKING)];
  for (const turn of turns) await answered(turn);
  const thrown = new Error("the mail is down");
  const told = new Set<string>();
  await vi.waitFor(
    async () => {
      const resuming = resumeParked({
        harness,
        onResult: (_, { id }) => {
          told.add(id);
          throw thrown;
        },
      });
      const failure = await resuming.catch((error: unknown) => error);
      if (failure instanceof AggregateError) {
        expect(failure.errors).toEqual(failure.errors.map(() => thrown));
        const { resumed } = failure.cause as { resumed: { turnId: string }[] };
        expect(resumed).toHaveLength(failure.errors.length);
      }
      expect([...told]).toEqual(expect.arrayContaining(turns.map(({ turnId }) => turnId)));
    },
    { timeout: 5_000, interval: 50 },
  );
});

it("is refused for a session that was never given", async () => {
  const sessionId = `sess_${"0".repeat(24)}`;
  await expect(resumeParked({ harness, sessionId })).rejects.toMatchObject({ code: "not_found" });
  expect((await call("POST", "/v1/resume", { sessionId })).status).toBe(404);
});
