import { Hono } from "hono";
import { expect, it } from "vitest";
import type { ApiKey } from "../../src/core/key.ts";
import type { Callback } from "../../src/core/life.ts";
import { callbackOf } from "../../src/inbound/callbacks.ts";
import type { Caller, Door, DoorConfig } from "../../src/inbound/door.ts";

const CONFIG: DoorConfig = {
  keys: [],
  issuers: [],
  corsOrigins: [],
  webhookSecret: "whsec_aG9sZHBvaW50IGZvciB0ZXN0cyBvbmx5",
  development: false,
};

/** The callback as it is kept for a caller with these rights. */
async function kept(
  can: ApiKey["can"],
  config: Partial<DoorConfig> = {},
  url = "https://caller.example/hook",
): Promise<Callback> {
  const door = { config: () => ({ ...CONFIG, ...config }) } as unknown as Door;
  const app = new Hono<Caller>();
  app.post("/", (context) => {
    context.set("key", { id: "app", workspace: "acme", can });
    return context.json(callbackOf(context, door, { url }));
  });
  app.onError((error, context) => context.json({ error: error.message }));
  const response = await app.request("https://desk.example/", { method: "POST" });
  return response.json();
}

it("tells links only to a caller who may answer, at the configured address or the caller's own", async () => {
  expect(await kept(["run"])).toEqual({ url: "https://caller.example/hook" });
  expect(await kept(["run", "answer"])).toMatchObject({ origin: "https://desk.example" });
  expect(await kept(["answer"], { publicUrl: "https://public.example" })).toMatchObject({
    origin: "https://public.example",
  });
});

it("needs the secret that signs, and says which", async () => {
  const { webhookSecret: _, ...unsigned } = CONFIG;
  const door = { config: () => unsigned } as unknown as Door;
  expect(() => callbackOf({ env: {} } as never, door, { url: "https://x.example/" })).toThrow(
    "set the secret WEBHOOK_SECRET",
  );
});

it("takes loopback addresses in development alone", async () => {
  const loopback = "http://127.0.0.1:9000/hook";
  expect(await kept(["run"], { development: true }, loopback)).toEqual({ url: loopback });
  expect(await kept(["run"], {}, loopback)).toEqual({ error: "The body is not valid." });
});
