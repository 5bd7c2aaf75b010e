import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const NAMES =
  /(?:session|sessionId|session_id): "([^"]+)"|\/v1\/sessions\/([A-Za-z][\w.:~-]*)[/"`]/g;

it("names each session of the engine's tests in one file alone, since all of them share one worker", () => {
  const files = new Map<string, Set<string>>();
  for (const file of globSync("test/workerd/**/*.test.ts"))
    for (const [, field, path] of readFileSync(file, "utf8").matchAll(NAMES)) {
      const name = field ?? path ?? "";
      files.set(name, (files.get(name) ?? new Set()).add(file));
    }
  expect(files.size).toBeGreaterThan(20);
  expect([...files].filter(([, users]) => users.size > 1)).toEqual([]);
});
