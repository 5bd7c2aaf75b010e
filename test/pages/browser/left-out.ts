/** Says at the end of a run which browser tests were left out, and how to get what they need. */

import type { Reporter } from "vitest/node";
import { CHROMIUM, HAS_CHROMIUM } from "./installed.ts";

/** Of the process tests only those that drive a browser are ever left out. */
const BROWSER_TESTS = /^test\/(?:pages\/browser|process)\//;

/** Undefined where nothing was left out for want of a browser. */
export function leftOutNotice(tests: readonly string[], chromium: string): string | undefined {
  if (tests.length === 0) return undefined;
  return [
    `\n${tests.length} browser tests were left out, since there is no Chromium at ${chromium}:`,
    ...tests.map((test) => `  ${test}`),
    'Get it with "apt-get install chromium", or name another in CHROMIUM_PATH.\n',
  ].join("\n");
}

export function leftOutReporter(): Reporter {
  return {
    onTestRunEnd: (modules) => {
      if (HAS_CHROMIUM) return;
      const skipped = modules
        .filter(({ relativeModuleId }) => BROWSER_TESTS.test(relativeModuleId))
        .flatMap((module) =>
          Array.from(
            module.children.allTests("skipped"),
            (test) => `${module.relativeModuleId}: ${test.fullName}`,
          ),
        );
      const notice = leftOutNotice(skipped, CHROMIUM);
      if (notice !== undefined) console.warn(notice);
    },
  };
}
