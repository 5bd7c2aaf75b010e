import { Webhook } from "standardwebhooks";
import { expect, it } from "vitest";
import {
  githubSignature,
  slackSignature,
  standardWebhooks,
  type WebhookVerifier,
} from "../../src/inbound/webhook-signatures.ts";

interface Example {
  readonly verifier: WebhookVerifier;
  readonly secret: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly now: number;
}

/** What each scheme's own documentation publishes. */
const PUBLISHED = {
  standardWebhooks: {
    verifier: standardWebhooks("HOOK_SECRET"),
    secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    body: '{"test": 2432232314}',
    headers: {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    },
    now: 1_614_265_330_000,
  },
  githubSignature: {
    verifier: githubSignature("GITHUB_SECRET"),
    secret: "It's a Secret to Everybody",
    body: "Hello, World!",
    headers: {
      "x-hub-signature-256":
        "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
    },
    now: 0,
  },
  slackSignature: {
    verifier: slackSignature("SLACK_SECRET"),
    secret: "8f742231b10e8888abcd99yyyzzz85a5",
    body: "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c",
    headers: {
      "x-slack-request-timestamp": "1531420618",
      "x-slack-signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
    },
    now: 1_531_420_618_000,
  },
} satisfies Readonly<Record<string, Example>>;

const SCHEMES = Object.entries<Example>(PUBLISHED);

function check({ verifier, headers, body, ...rest }: Example): Promise<string | undefined> {
  return verifier.check({
    headers: new Headers(headers),
    body: new TextEncoder().encode(body),
    ...rest,
  });
}

it.for(SCHEMES)("%s takes its published example for genuine", async ([, example]) => {
  expect(await check(example)).toBeUndefined();
});

it.for(SCHEMES)("%s takes nothing else for genuine", async ([, example]) => {
  for (const change of [
    { secret: `${example.secret.slice(0, -1)}x` },
    { body: `${example.body} ` },
    { body: "" },
    { body: example.body.slice(1) },
  ])
    expect(await check({ ...example, ...change })).toBe("The signature does not fit the body.");
});

it.for(SCHEMES)(
  "%s takes no other signature, not one that is cut or longer",
  async ([, example]) => {
    const [name, signature] = Object.entries(example.headers).find(([header]) =>
      header.includes("signature"),
    ) ?? ["", ""];
    const others = [
      signature.slice(0, -1),
      `${signature}0`,
      signature.replace(/[,=].*/, ""),
      signature.replace(/^[^,=]*[,=]/, ""),
      signature.replace(/^../, "xx"),
      signature.toUpperCase(),
      "x",
    ];
    for (const other of others)
      expect(
        await check({ ...example, headers: { ...example.headers, [name]: other } }),
        other,
      ).toBe("The signature does not fit the body.");
  },
);

it.for(SCHEMES)("%s names the headers that it needs", async ([, example]) => {
  for (const missing of Object.keys(example.headers)) {
    const headers = Object.fromEntries(
      Object.entries(example.headers).filter(([name]) => name !== missing),
    );
    const issue = await check({ ...example, headers });
    expect(issue?.toLowerCase()).toContain(missing);
    expect(issue).toMatch(/needed\.$/);
    expect(await check({ ...example, headers: { ...headers, [missing]: "" } })).toBe(issue);
  }
});

it.for(SCHEMES.filter(([name]) => name !== "githubSignature"))(
  "%s takes a time up to 5 minutes from now, either way",
  async ([, example]) => {
    for (const apart of [-300_000, 300_000])
      expect(await check({ ...example, now: example.now + apart })).toBeUndefined();
    for (const apart of [-300_001, 300_001])
      expect(await check({ ...example, now: example.now + apart })).toBe(
        "The timestamp is more than 5 minutes from now.",
      );
  },
);

it.for(SCHEMES.filter(([name]) => name !== "githubSignature"))(
  "%s takes no time that is none, and none that was not signed",
  async ([, example]) => {
    const name = Object.keys(example.headers).find((header) => header.includes("timestamp")) ?? "";
    const time = example.headers[name] ?? "";
    for (const other of ["now", "-1", "1e9", "0x5b474a4a", `${time}.0`, "9".repeat(13)])
      expect(await check({ ...example, headers: { ...example.headers, [name]: other } })).toBe(
        "The timestamp is more than 5 minutes from now.",
      );
    const later = String(Number(time) + 1);
    expect(await check({ ...example, headers: { ...example.headers, [name]: later } })).toBe(
      "The signature does not fit the body.",
    );
  },
);

it("takes one fitting signature among several, and the version that it knows alone", async () => {
  const example: Example = PUBLISHED.standardWebhooks;
  const genuine = example.headers["webhook-signature"] ?? "";
  const check1 = (signature: string) =>
    check({ ...example, headers: { ...example.headers, "webhook-signature": signature } });
  const old = `v1,${"A".repeat(43)}=`;
  for (const list of [`${old} ${genuine}`, `${genuine} ${old}`, `v1a,x ${old} ${genuine}`])
    expect(await check1(list), list).toBeUndefined();
  for (const list of [old, genuine.replace("v1,", "v1a,"), genuine.replace("v1,", "v2,")])
    expect(await check1(list), list).toBe("The signature does not fit the body.");
});

it("takes what the scheme's own library signs, of any body and any secret", async () => {
  const now = 1_800_000_000_000;
  for (const [bytes, body] of [
    [16, ""],
    [24, "{}"],
    [32, "Ünïcödé 👍\u2028\0"],
    [64, "x".repeat(100_000)],
  ] as const) {
    const secret = `whsec_${Buffer.alloc(bytes, "kéy").toString("base64")}`;
    const example: Example = {
      verifier: standardWebhooks("HOOK_SECRET"),
      secret,
      body,
      headers: {
        "webhook-id": "msg_1",
        "webhook-timestamp": String(now / 1_000),
        "webhook-signature": new Webhook(secret).sign("msg_1", new Date(now), body),
      },
      now,
    };
    expect(await check(example)).toBeUndefined();
    const renamed = { ...example, headers: { ...example.headers, "webhook-id": "msg_2" } };
    expect(await check(renamed)).toBe("The signature does not fit the body.");
  }
});

it("verifies bytes, UTF-8 or not", async () => {
  const { verifier, secret } = PUBLISHED.githubSignature;
  const body = new Uint8Array([0xff, 0xfe, 0x00]);
  const key = await crypto.subtle.importKey(
    "raw",
    new TextEncoder().encode(secret),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  const signature = Buffer.from(await crypto.subtle.sign("HMAC", key, body)).toString("hex");
  const headers = new Headers({ "x-hub-signature-256": `sha256=${signature}` });
  expect(await verifier.check({ headers, body, secret, now: 0 })).toBeUndefined();
  const other = new Uint8Array([0xfe, 0xff, 0x00]);
  expect(await verifier.check({ headers, body: other, secret, now: 0 })).toBeDefined();
});

it("finds the event's own id where each scheme has it", () => {
  const headers = new Headers({ "webhook-id": "msg_1", "x-github-delivery": "72d3162e" });
  const body = { event_id: "Ev08MFMKH6" };
  const { standardWebhooks: standard, githubSignature: github, slackSignature: slack } = PUBLISHED;
  expect(standard.verifier.eventId(headers, body)).toBe("msg_1");
  expect(github.verifier.eventId(headers, body)).toBe("72d3162e");
  expect(slack.verifier.eventId(headers, body)).toBe("Ev08MFMKH6");
  for (const nothing of [null, [], "event_id", { event_id: 7 }, {}])
    expect(slack.verifier.eventId(headers, nothing)).toBeUndefined();
  expect(standard.verifier.eventId(new Headers(), body)).toBeUndefined();
  expect(github.verifier.eventId(new Headers(), body)).toBeUndefined();
});

it("gives Slack its challenge back, and takes no other event for one", () => {
  const { challenge } = slackSignature("SLACK_SECRET");
  expect(challenge?.({ type: "url_verification", challenge: "3eZbrw1a" })).toBe("3eZbrw1a");
  for (const other of [
    { type: "event_callback", challenge: "3eZbrw1a" },
    { type: "url_verification", challenge: 7 },
    { type: "url_verification" },
    null,
  ])
    expect(challenge?.(other)).toBeUndefined();
});

it("says what is wrong with a secret that can't be one of Standard Webhooks", () => {
  const { checkSecret } = standardWebhooks("HOOK_SECRET");
  expect(checkSecret?.(PUBLISHED.standardWebhooks.secret)).toBeUndefined();
  expect(checkSecret?.("hunter2")).toBe("must be whsec_ and the base64 of 16 to 64 random bytes");
});

it("wants the name of a secret, and shows no secret that stands in its place", () => {
  for (const [name, make] of Object.entries({ standardWebhooks, githubSignature, slackSignature }))
    for (const secret of ["", "It's a Secret", "8f742231b10e8888", "whsec_MfKQ9r8GKYqrTwjUPD8I"]) {
      expect(() => make(secret), secret).toThrow(
        `${name} takes the name of the variable that holds the secret, such as HOOK_SECRET, and never the secret itself`,
      );
    }
});
