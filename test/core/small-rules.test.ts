import { describe, expect, it } from "vitest";
import * as z from "zod";
import { durationSchema } from "../../src/core/duration.ts";
import {
  deriveSessionKey,
  formatId,
  parseId,
  parseSessionReference,
  parseTaskId,
  sessionKeyOfBytes,
} from "../../src/core/ids.ts";
import { isFast, reportDelay, shardOf } from "../../src/core/inbox.ts";
import { issuesOf } from "../../src/core/issue.ts";
import { canonicalJson, nestsDeeperThan } from "../../src/core/json.ts";
import { findKey } from "../../src/core/key.ts";
import { TELL_AFTER_MS, TELL_FAST_AFTER_MS } from "../../src/core/limits.ts";
import { retryDelay, toldRetryDelay } from "../../src/core/retry.ts";
import { metadataSchema } from "../../src/core/wire.ts";

const KEY = "0123456789abcdef01234567";

describe("ids", () => {
  it("carry their session and their number, and are read by their own kind alone", () => {
    expect(formatId("q", KEY, 26)).toBe(`q_${KEY}0000001a`);
    expect(parseId("q", `q_${KEY}0000001a`)).toEqual({ key: KEY, n: 26 });
    for (const id of [
      `turn_${KEY}0000001a`,
      `q_${KEY}1a`,
      `q_${KEY}0000001A`,
      `q_${KEY}0000001a `,
      `q_${KEY}0000001a\n`,
      "",
    ])
      expect(parseId("q", id)).toBeUndefined();
    expect(() => formatId("q", KEY, 2 ** 32)).toThrow(RangeError);
  });

  it("name a session by id, or by the caller's own name, or not at all", () => {
    expect(parseSessionReference(`sess_${KEY}`)).toEqual({ by: "id", key: KEY });
    expect(parseSessionReference("sess_short")).toEqual({ by: "name", name: "sess_short" });
    expect(parseSessionReference("a.b_c~d:e@f-1")).toMatchObject({ by: "name" });
    for (const name of ["", "a b", "a/b", "ä", "x".repeat(129)])
      expect(parseSessionReference(name)).toBeUndefined();
  });

  it("derive one key for one origin, and another for each other origin", async () => {
    const origins = [
      { from: "name", name: "a" },
      { from: "parent", call: "a" },
      { from: "idempotency", keyId: "k", route: "r", idempotencyKey: "a" },
    ] as const;
    const keys = await Promise.all(origins.map(deriveSessionKey));
    expect(new Set(keys).size).toBe(3);
    expect(await deriveSessionKey({ from: "name", name: "a" })).toBe(keys[0]);
    expect(keys[0]).toMatch(/^[0-9a-f]{24}$/);
    expect(sessionKeyOfBytes(new Uint8Array(12))).toBe("0".repeat(24));
  });

  it("number tasks from one", () => {
    expect(parseTaskId("task_12")).toBe(12);
    for (const id of ["task_0", "task_01", "task_", "task_1 ", "12"])
      expect(parseTaskId(id)).toBeUndefined();
  });
});

describe("retryDelay", () => {
  const policy = { maxAttempts: 5, retryDelayMs: 15_000 };

  it("waits a second, then the delay, then doubles, and stops at the last attempt", () => {
    const delays = [1, 2, 3, 4, 5].map((attempts) => retryDelay(policy, attempts, 0.999_999));
    expect(delays).toEqual([1_000, 15_000, 30_000, 60_000, null]);
  });

  it("spreads over the upper half, and is never shorter than the provider asks", () => {
    expect(retryDelay(policy, 2, 0)).toBe(7_500);
    expect(retryDelay(policy, 1, 0, 42_000)).toBe(42_000);
  });

  it("bounds both its own delay and the provider's", () => {
    expect(retryDelay({ maxAttempts: 99, retryDelayMs: 15_000 }, 60, 0)).toBe(1_800_000);
    expect(retryDelay(policy, 1, 0, 10 ** 12)).toBe(3_600_000);
  });
});

describe("toldRetryDelay", () => {
  const policy = { maxAttempts: 5, retryDelayMs: 15_000 };

  it("is the delay from the first failure on, doubles, and stops at the last attempt", () => {
    const delays = [1, 2, 3, 4, 5].map((attempts) => toldRetryDelay(policy, attempts));
    expect(delays).toEqual([15_000, 30_000, 60_000, 120_000, null]);
  });

  it("is never shorter than the provider asks, and bounded", () => {
    expect(toldRetryDelay(policy, 1, 42_000)).toBe(42_000);
    expect(toldRetryDelay(policy, 1, 10 ** 12)).toBe(3_600_000);
    expect(toldRetryDelay({ maxAttempts: 99, retryDelayMs: 15_000 }, 60)).toBe(3_600_000);
  });
});

describe("canonical JSON", () => {
  it("sorts names at every level and leaves out what is undefined", () => {
    expect(canonicalJson({ b: 1, a: { d: [1, { z: 1, y: undefined }], c: null } })).toBe(
      '{"a":{"c":null,"d":[1,{"z":1}]},"b":1}',
    );
  });

  it("keeps a member called __proto__", () => {
    expect(canonicalJson(JSON.parse('{"__proto__":1,"a":2}'))).toBe('{"__proto__":1,"a":2}');
  });
});

describe("nesting", () => {
  it("counts brackets outside strings alone, in text that need not be JSON", () => {
    expect(nestsDeeperThan("[[[]]]", 3)).toBe(false);
    expect(nestsDeeperThan("[[[]]]", 2)).toBe(true);
    expect(nestsDeeperThan('["[[[[\\"[[["]', 1)).toBe(false);
  });
});

describe("durations", () => {
  it("are a whole number and its unit", () => {
    expect(["250ms", "30s", "15m", "4h", "2d"].map((text) => durationSchema.parse(text))).toEqual([
      250, 30_000, 900_000, 14_400_000, 172_800_000,
    ]);
    for (const [text, ms] of [
      ["999999999ms", 999_999_999],
      ["1000000000ms", 1_000_000_000],
      ["31622400000ms", 366 * 86_400_000],
      ["999999999999ms", 999_999_999_999],
      ["999999999s", 999_999_999_000],
    ] as const)
      expect(durationSchema.parse(text)).toBe(ms);
    for (const text of [
      "4",
      "h",
      "-1h",
      "1.5h",
      "4 h",
      "1w",
      "ms",
      "1000000000000ms",
      "1000000000s",
    ])
      expect(durationSchema.safeParse(text).success).toBe(false);
  });
});

describe("keys", () => {
  it("are found by their SHA-256 alone", async () => {
    const sha256 = "7e9f8fd111802be56c379d597842e29b2cebd35ff2133d431a49fa556a18704e";
    const key = { id: "dev", sha256, workspace: "dev", can: ["read" as const] };
    expect(await findKey([key], "dev-key")).toBe(key);
    expect(await findKey([key], sha256)).toBeUndefined();
    expect(await findKey([], "dev-key")).toBeUndefined();
  });
});

describe("metadata", () => {
  it("keeps every key, and is bounded", () => {
    const given = JSON.parse('{"__proto__":"kept","a":"b"}') as unknown;
    expect(Object.entries(metadataSchema.parse(given))).toEqual([
      ["__proto__", "kept"],
      ["a", "b"],
    ]);
    const full = { ...keys(16), key0: "😀".repeat(512), key1: "" };
    expect(metadataSchema.parse(full)).toEqual(full);
    expect(metadataSchema.parse({ ["😀".repeat(64)]: "x" })).toEqual({ ["😀".repeat(64)]: "x" });
  });

  it.each([
    [{ k: "a".repeat(513) }, "metadata.k: must be at most 512 characters"],
    [{ ["k".repeat(65)]: "" }, `metadata["${"k".repeat(63)}…"]: must have a name of 1 to 64`],
    [{ "": "x" }, 'metadata[""]: must have a name of 1 to 64 characters'],
    [JSON.parse('{"a": "b", "__proto__": 1}'), "metadata.__proto__: must be a string"],
    [{ a: null }, "metadata.a: must be a string"],
    [keys(17), "metadata: must have at most 16 keys"],
    [[], "metadata: must be a map"],
  ])("refuses %j with what to mend", (metadata, message) => {
    const { error } = z.object({ metadata: metadataSchema }).safeParse({ metadata });
    const issues = error === undefined ? [] : issuesOf(error);
    expect(issues.map((issue) => `${issue.path}: ${issue.message}`)).toEqual([
      expect.stringContaining(message),
    ]);
  });

  function keys(count: number): Record<string, string> {
    return Object.fromEntries(Array.from({ length: count }, (_, n) => [`key${n}`, "x"]));
  }
});

describe("a report to the inbox", () => {
  it("comes within half a second", () => {
    expect(reportDelay(false, 0)).toBe(TELL_AFTER_MS);
    expect(reportDelay(true, 0)).toBe(TELL_FAST_AFTER_MS);
    for (const fast of [false, true]) expect(reportDelay(fast, 0.999)).toBeLessThan(450);
  });

  it("is one of a fast session where another came within a second", () => {
    expect(isFast(undefined, 10_000)).toBe(false);
    for (const [before, fast] of [
      [10_000, true],
      [9_001, true],
      [9_000, false],
      // A clock that was set back makes nothing fast for longer.
      [12_000, false],
    ] as const)
      expect(isFast(before, 10_000), String(before)).toBe(fast);
  });
});

describe("the inbox", () => {
  it("spreads sessions over its shards by their keys", () => {
    expect(shardOf("00000005aaaaaaaaaaaaaaaa", 3)).toBe(2);
    expect(shardOf("ffffffffaaaaaaaaaaaaaaaa", 1)).toBe(0);
  });
});
