import { afterEach, expect, it, vi } from "vitest";
import type { DeliveryView } from "../../src/session/face.ts";
import { call, play } from "../workerd/client.ts";
import { mailbox } from "../workerd/desk-agents.ts";
import { accepted, post, refusal } from "../workerd/journey.ts";

afterEach(() => {
  mailbox.clear();
});

interface Page {
  readonly items: readonly DeliveryView[];
  readonly nextCursor: string | null;
}

/** Waits, with a deadline: the inbox may lag behind the sessions. */
function eventually(check: () => Promise<void>): Promise<void> {
  return vi.waitFor(check, { timeout: 5_000, interval: 20 });
}

/** All pages of what was given up in the workspace. */
async function dead(limit = 100, key = "dev-key"): Promise<readonly DeliveryView[]> {
  const all: DeliveryView[] = [];
  for (let cursor = ""; ;) {
    const page = await accepted<Page>(
      call("GET", `/v1/deliveries?limit=${limit}${cursor}`, undefined, {
        authorization: `Bearer ${key}`,
      }),
    );
    expect(page.items.length).toBeLessThanOrEqual(limit);
    all.push(...page.items);
    if (page.nextCursor === null) return all;
    cursor = `&cursor=${page.nextCursor}`;
  }
}

/** A question to two people, neither of whom can be reached. Its deliveries name its session. */
async function unreachable(): Promise<string> {
  const input = { question: "May we?", to: "team" };
  const script = [{ calls: [{ toolName: "ask_tool", input }] }, { text: "end" }];
  return (await play(script, { agent: "desk" })).sessionId;
}

function of(sessionId: string): (delivery: DeliveryView) => boolean {
  const key = sessionId.slice("sess_".length);
  return ({ id }) => id.startsWith(`delivery_${key}`);
}

it("lists what was given up in all sessions of a workspace, page by page, until it arrives", async () => {
  const gone = Object.assign(new Error("there is no such box"), { retryable: false });
  mailbox.down.set("email", gone);
  const sessions = [await unreachable(), await unreachable(), await unreachable()];
  await eventually(async () => {
    const all = await dead();
    for (const session of sessions) expect(all.filter(of(session))).toHaveLength(2);
  });
  const [first = "", ...others] = sessions;
  const [one, two] = (await dead()).filter(of(first));
  expect([one, two]).toMatchObject([
    { channel: "email", recipient: "dana", status: "failed", tries: 1, error: gone.message },
    { channel: "email", recipient: "kim", status: "failed", tries: 1, error: gone.message },
  ]);
  expect(JSON.stringify(one)).not.toContain("lender.example");
  // The same in pages of one, and in each in the order of the ids.
  const ids = (await dead(1)).map(({ id }) => id);
  expect(ids).toEqual((await dead()).map(({ id }) => id));
  expect(ids).toEqual(ids.toSorted());
  expect(new Set(ids).size).toBe(ids.length);

  expect(await dead(100, "other")).toEqual([]);

  mailbox.down.clear();
  await accepted(post(`/v1/deliveries/${one?.id}/retry`));
  await eventually(async () =>
    expect((await dead()).filter(of(first)).map(({ id }) => id)).toEqual([two?.id]),
  );
  await accepted(post(`/v1/deliveries/${two?.id}/retry`));
  await eventually(async () => expect((await dead()).filter(of(first))).toEqual([]));
  for (const session of others) expect((await dead()).filter(of(session))).toHaveLength(2);

  // Made anew from the sessions, the list is the same.
  const before = (await dead()).map(({ id }) => id);
  await accepted(post("/v1/inbox/rebuild", {}));
  expect((await dead()).map(({ id }) => id)).toEqual(before);

  for (const session of others) {
    const erased = await call("DELETE", `/v1/sessions/${session}`);
    expect(erased.status).toBe(204);
    await eventually(async () => expect((await dead()).filter(of(session))).toEqual([]));
  }
});

it("asks for a session where it is about more than what failed", async () => {
  expect(await refusal(call("GET", "/v1/deliveries?status=pending"))).toMatchObject({
    status: 400,
    issues: [{ path: "sessionId" }],
  });
  expect(await refusal(call("GET", "/v1/deliveries?cursor=x"))).toMatchObject({
    code: "invalid_cursor",
  });
});
