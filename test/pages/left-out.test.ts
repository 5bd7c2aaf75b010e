import { expect, it } from "vitest";
import { leftOutNotice } from "./browser/left-out.ts";

it("names each browser test that was left out, and how to get the browser", () => {
  const notice =
    leftOutNotice(["a.test.ts: opens", "a.test.ts: closes"], "/usr/bin/chromium") ?? "";
  for (const part of [
    "2 browser tests",
    "/usr/bin/chromium",
    "a.test.ts: closes",
    "apt-get install",
  ])
    expect(notice).toContain(part);
  expect(leftOutNotice([], "/usr/bin/chromium")).toBeUndefined();
});
