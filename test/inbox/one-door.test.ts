import { exports } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import type { Question } from "../../src/core/question.ts";
import type { TurnView } from "../../src/core/turn-view.ts";
import { call, fireAlarm, ORIGIN, play, settled } from "../workerd/client.ts";
import {
  accepted,
  answering,
  conversation,
  onlyRequest,
  post,
  questionsOf,
  readQuestion,
  refusal,
} from "../workerd/journey.ts";

const HOUR_MS = 60 * 60 * 1_000;

afterEach(() => {
  vi.useRealTimers();
});

interface Card {
  readonly turn: TurnView;
  readonly requestId: string;
  /** The path of its answer page. */
  readonly page: string;
}

function visit(page: string, init: RequestInit = {}): Promise<Response> {
  return exports.default.fetch(new Request(`${ORIGIN}${page}`, init));
}

async function nonceOf({ page }: Card): Promise<string> {
  const html = await (await visit(page)).text();
  return /name="nonce" value="([^"]*)"/.exec(html)?.[1] ?? "";
}

function press({ page }: Card, nonce: string): Promise<Response> {
  const body = new URLSearchParams({ nonce, action: "approve" });
  return visit(page, { method: "POST", body });
}

/** Each door at which a person, the caller or time ends an approval. */
const DOORS: Readonly<Record<string, (card: Card) => Promise<unknown>>> = {
  "an answer": ({ requestId }) => accepted(answering(requestId, { approved: true })),
  "its answer page": async (card) => {
    expect((await press(card, await nonceOf(card))).status).toBe(200);
  },
  "a decline": ({ requestId }) =>
    accepted(post(`/v1/questions/${requestId}/decline`, { answeredBy: "eve" })),
  "a cancel": ({ requestId }) => accepted(post(`/v1/questions/${requestId}/cancel`)),
  "the results of its batch": ({ turn }) =>
    accepted(
      post(`/v1/turns/${turn.id}/results`, { approvals: { p: { action: "deny" } }, calls: {} }),
    ),
  "the cancel of its turn": ({ turn }) => accepted(post(`/v1/turns/${turn.id}/cancel`)),
  "its expiry": async ({ turn }) => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3 * HOUR_MS });
    expect(await fireAlarm(turn.sessionId)).toBe(true);
  },
};

async function inInbox({ requestId }: Card): Promise<boolean> {
  const { items } = await accepted<{ items: readonly Question[] }>(
    call("GET", "/v1/questions?limit=100"),
  );
  return items.some((question) => question.requestId === requestId);
}

it.each(Object.keys(DOORS))(
  "closes a question at every other door and in the inbox, once it is settled by %s",
  async (door) => {
    const payment = { toolName: "pay", input: { amount: 5 }, toolCallId: "p" };
    const turn = await play([{ calls: [payment] }, { text: "end" }], { agent: "denying" });
    const requestId = onlyRequest(turn);
    const page = new URL((await readQuestion(requestId)).answerUrl ?? "").pathname;
    const card = { turn, requestId, page };
    const nonce = await nonceOf(card);
    await vi.waitFor(async () => expect(await inInbox(card)).toBe(true));

    await DOORS[door]?.(card);
    const ended = await readQuestion(requestId);
    expect(ended.status).not.toBe("waiting");

    // Each other decision than the one that stands is refused, and the page that was open shows how it ended.
    const other = { approved: false, reason: "Another decision." };
    expect((await refusal(answering(requestId, other))).status).toBe(409);
    if (ended.status !== "declined")
      expect(
        (await refusal(post(`/v1/questions/${requestId}/decline`, { answeredBy: "eve" }))).status,
      ).toBe(409);
    if (ended.status !== "cancelled")
      expect((await refusal(post(`/v1/questions/${requestId}/cancel`))).status).toBe(409);
    const batch = { approvals: { p: { action: "approve" } }, calls: {} };
    expect((await refusal(post(`/v1/turns/${turn.id}/results`, batch))).status).toBe(409);
    expect(await (await press(card, nonce)).text()).not.toContain('name="nonce"');
    expect(await nonceOf(card)).toBe("");
    await vi.waitFor(async () => expect(await inInbox(card)).toBe(false));
    expect(await questionsOf(turn.sessionId, "status=waiting")).toEqual([]);

    // Nothing of that changed it, and the turn did not wait for anybody any more.
    expect(await readQuestion(requestId)).toEqual(ended);
    const { status, waitingFor } = await settled(turn.id);
    expect(status).toBe(door === "the cancel of its turn" ? "cancelled" : "completed");
    expect(waitingFor).toBeUndefined();
    await conversation(turn.sessionId);
  },
);
