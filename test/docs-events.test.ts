import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { expect, it } from "vitest";
import { HEARTBEAT_MS, READER_BUFFER_UNITS, READER_DELTAS_UNITS } from "../src/core/limits.ts";
import { sessionEventSchema } from "../src/core/session-event.ts";

const root = join(import.meta.dirname, "..");
const page = await readFile(join(root, "docs/events.md"), "utf8");

const LIVE: ReadonlySet<string> = new Set(["step.started", "text.delta"]);
const IN_ALL: ReadonlySet<string> = new Set(["type", "id", "sessionId", "turnId", "at"]);

it("names every event, and none that isn't there, and which of them last", () => {
  const rows = Array.from(page.matchAll(/^\| `([a-z.]+)` \| (yes|no) \|/gm), ([, type, lasts]) => [
    type,
    lasts,
  ]);
  const types = sessionEventSchema.options.map((option) => option.shape.type.value);
  expect(rows).toEqual(types.map((type) => [type, LIVE.has(type) ? "no" : "yes"]));
});

it("names every field of each event beside those that all have", () => {
  for (const { shape } of sessionEventSchema.options) {
    const type = shape.type.value;
    const row = page.split("\n").find((line) => line.startsWith(`| \`${type}\` |`)) ?? "";
    for (const field of Object.keys(shape))
      if (!IN_ALL.has(field)) expect(row, type).toContain(`\`${field}\``);
  }
});

it("shows a stream as it comes", () => {
  const [, stream = ""] = /^```text\n(.*?)^```$/ms.exec(page) ?? [];
  const messages: EventSourceMessage[] = [];
  const parser = createParser({
    onEvent: (message) => messages.push(message),
    onError: (error) => {
      throw error;
    },
  });
  parser.feed(stream);
  expect(messages).toHaveLength(6);
  for (const { id, event, data } of messages) {
    const { type } = sessionEventSchema.parse(JSON.parse(data));
    expect(event).toBe(type);
    expect(id === undefined).toBe(LIVE.has(type));
  }
});

it("shows code that a test runs", async () => {
  const [, code = ""] = /^```ts\n(.*?)^```$/ms.exec(page) ?? [];
  const test = await readFile(join(root, "test/workerd/stream-harness.test.ts"), "utf8");
  const lines = (text: string) => text.split("\n").map((line) => line.trim());
  expect(lines(test).join("\n")).toContain(lines(code).join("\n").trim());
});

it("says the limits that hold", () => {
  expect(page).toContain(`every ${HEARTBEAT_MS / 1_000} seconds`);
  expect(page).toContain(`${READER_DELTAS_UNITS / 1024} KiB of text wait`);
  expect(page).toContain(`Beyond ${READER_BUFFER_UNITS / 1024 / 1024} MiB nothing`);
});
