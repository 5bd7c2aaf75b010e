/**
 * Owns: a Slack for tests that speaks the real one's wire format: `chat.postMessage` and `chat.update` with the answers, the
 * errors and the limits of Block Kit that Slack has; clicks as Slack sends them; and what is told to one person alone.
 */

import { hmacHex } from "./hmac.ts";

export interface FakeButton {
  readonly type: string;
  readonly action_id: string;
  readonly text: { readonly type: string; readonly text: string };
  readonly value?: string;
  readonly url?: string;
  readonly style?: string;
}

export interface FakeBlock {
  readonly type: string;
  readonly text?: { readonly type: string; readonly text: string };
  readonly elements?: readonly (Omit<FakeButton, "text"> & { readonly text: unknown })[];
}

export interface FakeMessage {
  readonly channel: string;
  readonly ts: string;
  readonly thread_ts?: string;
  readonly text: string;
  readonly blocks: readonly FakeBlock[];
}

export const BOT_TOKEN = "xoxb-1-of-tests";
export const HOOK = "https://hooks.slack.com/actions/T0TEAM/1/once";

/** A channel by its name, a person's direct messages by the person's id. */
const PLACES: Readonly<Record<string, string>> = {
  "#underwriting": "C0UNDERWRITING",
  C0UNDERWRITING: "C0UNDERWRITING",
  C0DESK: "C0DESK",
  C0123456789: "C0123456789",
  U02ABCDEF: "D02ABCDEF",
  U0DANA: "D0DANA",
  U0KIM: "D0KIM",
  U0LEAD: "D0LEAD",
};

type Reply = readonly [status: number, body: object | string, headers?: Record<string, string>];

export class FakeSlack {
  /** As it stands: an update takes the place of what was posted. */
  readonly messages: FakeMessage[] = [];
  /** Methods in the order of their calls. */
  readonly calls: string[] = [];
  /** What was told to the one who clicked. */
  readonly told: string[] = [];
  /** What the next calls are answered with, in place of what they would be. */
  readonly failures: Reply[] = [];
  #ts = 0;

  clear(): void {
    for (const list of [this.messages, this.calls, this.told, this.failures]) list.length = 0;
  }

  /** In place of `fetch`. */
  readonly fetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const { url } = request;
    const body = JSON.parse(await request.text()) as Record<string, unknown>;
    if (url === HOOK) {
      this.told.push(String(body["text"]));
      const asked = { response_type: "ephemeral", replace_original: false, text: body["text"] };
      return sameJson(body, asked) ? new Response("ok") : new Response("no_text", { status: 500 });
    }
    const method = /^https:\/\/slack\.com\/api\/(chat\.\w+)$/.exec(url)?.[1];
    if (method === undefined) return new Response("nowhere", { status: 404 });
    this.calls.push(method);
    const [status, answer, headers] = this.failures.shift() ?? this.#answer(method, request, body);
    return typeof answer === "string"
      ? new Response(answer, { status, ...(headers !== undefined && { headers }) })
      : Response.json(answer, { status, ...(headers !== undefined && { headers }) });
  };

  #answer(method: string, { headers }: Request, body: Record<string, unknown>): Reply {
    if (headers.get("authorization") !== `Bearer ${BOT_TOKEN}`) return refused("invalid_auth");
    if (headers.get("content-type") !== "application/json; charset=utf-8")
      return refused("invalid_post_type");
    const issue = issueOf(body);
    if (issue !== undefined)
      return refused("invalid_blocks", { response_metadata: { messages: [`[ERROR] ${issue}`] } });
    return method === "chat.update" ? this.#update(body) : this.#post(body);
  }

  #post(body: Record<string, unknown>): Reply {
    const channel = PLACES[String(body["channel"])] ?? known(this.messages, body["channel"]);
    if (channel === undefined) return refused("channel_not_found");
    this.#ts += 1;
    const ts = `1764500000.${String(this.#ts).padStart(6, "0")}`;
    const message = { ...body, channel, ts } as unknown as FakeMessage;
    this.messages.push(message);
    const shown = { type: "message", subtype: "bot_message", bot_id: "B0BOT", ts, ...body };
    return [200, { ok: true, channel, ts, message: shown }];
  }

  #update(body: Record<string, unknown>): Reply {
    const { channel, ts } = body;
    const at = this.messages.findIndex((each) => each.ts === ts && each.channel === channel);
    if (at === -1) return refused("message_not_found");
    this.messages[at] = { ...this.messages[at], ...body } as unknown as FakeMessage;
    return [
      200,
      { ok: true, channel, ts, text: body["text"], message: { type: "message", ...body } },
    ];
  }
}

function known(messages: readonly FakeMessage[], channel: unknown): string | undefined {
  return messages.find((message) => message.channel === channel)?.channel;
}

function refused(error: string, more: object = {}): Reply {
  return [200, { ok: false, error, ...more }];
}

function sameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** What Slack says against a message's blocks; undefined where it takes them. */
function issueOf({ text, blocks }: Record<string, unknown>): string | undefined {
  if (typeof text !== "string" || text === "" || text.length > 40_000) return "no_text";
  if (!Array.isArray(blocks) || blocks.length < 1 || blocks.length > 50) return "blocks";
  const actions = new Set<string>();
  for (const block of blocks as readonly FakeBlock[]) {
    if (block.type === "section" && !isText(block.text, "mrkdwn", 3_000)) return "section.text";
    if (block.type === "context" && !block.elements?.every((each) => isText(each, "mrkdwn", 3_000)))
      return "context.elements";
    if (block.type !== "actions") continue;
    const { elements = [] } = block;
    if (elements.length < 1 || elements.length > 25) return "actions.elements";
    for (const { action_id, text: label, value, url } of elements) {
      if (action_id.length > 255 || actions.has(action_id)) return "action_id";
      actions.add(action_id);
      if (!isText(label, "plain_text", 75)) return "button.text";
      if ((value ?? "").length > 2_000 || (url ?? "").length > 3_000) return "button.value";
    }
  }
  return undefined;
}

function isText(given: unknown, type: string, max: number): boolean {
  const { type: kind, text } = (given ?? {}) as {
    readonly type?: unknown;
    readonly text?: unknown;
  };
  return kind === type && typeof text === "string" && text.length >= 1 && text.length <= max;
}

/** The buttons of a message, by what they say. */
export function buttonsOf({
  blocks,
}: Pick<FakeMessage, "blocks">): ReadonlyMap<string, FakeButton> {
  const elements = blocks.flatMap((block) =>
    block.type === "actions" ? (block.elements ?? []) : [],
  );
  return new Map(
    elements.map((element) => [(element.text as FakeButton["text"]).text, element as FakeButton]),
  );
}

/** All that a message says in its blocks, a line each. */
export function wordsOf({ blocks }: Pick<FakeMessage, "blocks">): string {
  const lines: readonly unknown[] = blocks.flatMap(({ type, text, elements = [] }) =>
    type === "section" ? [text?.text] : type === "context" ? elements.map((each) => each.text) : [],
  );
  return lines.join("\n");
}

/** A form as Slack sends it, signed at that time. */
export async function signedForm(
  payload: unknown,
  { secret, at = Date.now() }: { readonly secret: string; readonly at?: number },
): Promise<{ readonly body: string; readonly headers: Readonly<Record<string, string>> }> {
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  const time = String(Math.floor(at / 1_000));
  return {
    body,
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "x-slack-request-timestamp": time,
      "x-slack-signature": `v0=${await hmacHex(secret, `v0:${time}:${body}`)}`,
    },
  };
}

/** The `payload` of a click on a button of a message, as Slack sends it. */
export function clickOn(
  { channel, ts, text, blocks }: FakeMessage,
  { action_id, text: label, value, url }: FakeButton,
  user: string,
): object {
  return {
    type: "block_actions",
    user: { id: user, username: user.toLowerCase(), name: user.toLowerCase(), team_id: "T0TEAM" },
    api_app_id: "A0APP",
    token: "verification",
    container: { type: "message", message_ts: ts, channel_id: channel, is_ephemeral: false },
    trigger_id: "1.2.3",
    team: { id: "T0TEAM", domain: "lender" },
    enterprise: null,
    is_enterprise_install: false,
    channel: { id: channel, name: "directmessage" },
    message: { type: "message", bot_id: "B0BOT", user: "U0BOT", ts, text, team: "T0TEAM", blocks },
    state: { values: {} },
    response_url: HOOK,
    actions: [
      {
        action_id,
        block_id: "b1",
        text: label,
        type: "button",
        action_ts: "1764500001.000001",
        ...(value !== undefined && { value }),
        ...(url !== undefined && { url }),
      },
    ],
  };
}
