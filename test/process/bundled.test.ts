import { gzipSync } from "node:zlib";
import { expect, inject, it } from "vitest";

/** Compressed, with every provider: the platform reads all of it at a cold start. */
const BUNDLE_BYTES = 400 * 1024;

it("has at most 400 KiB to deploy, compressed, with every provider in it", () => {
  const { code } = inject("worker");
  for (const name of ["ai-sdk-openai/", "x-api-key", "/chat/completions", "workersai"])
    expect(code.includes(name), name).toBe(true);
  expect(gzipSync(code).length).toBeLessThanOrEqual(BUNDLE_BYTES);
});
