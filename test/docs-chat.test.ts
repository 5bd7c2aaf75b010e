import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { CHAT_HISTORY_UNITS, PAGE_ITEMS_MAX, REQUEST_BODY_BYTES } from "../src/core/limits.ts";
import { chatSchema } from "../src/core/requests.ts";
import { readPage, tableOf } from "./document-tables.ts";

const page = await readPage("docs/chat.md");

it("names each field of a request, and none that isn't there", () => {
  const named = tableOf(page, "What a request says").flatMap(({ names }) => names);
  expect(named.toSorted()).toEqual(Object.keys(chatSchema.shape).toSorted());
});

it("shows code that the example's page runs", async () => {
  const chat = await readFile(join(import.meta.dirname, "../examples/chat/chat.tsx"), "utf8");
  const blocks = Array.from(page.matchAll(/^```tsx\n(.*?)^```$/gms), ([, code = ""]) => code);
  expect(blocks).toHaveLength(6);
  for (const code of blocks) expect(chat).toContain(code);
});

it("says the limits that hold", () => {
  const history = `at most ${PAGE_ITEMS_MAX}, and what ${CHAT_HISTORY_UNITS / 1024 / 1024} MiB`;
  expect(page).toContain(history);
  expect(page).toContain(`a body holds ${REQUEST_BODY_BYTES / 1024 / 1024} MiB`);
});
