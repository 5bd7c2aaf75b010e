import { cloudflareTest } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";
import { leftOutReporter } from "./test/pages/browser/left-out.ts";

/** Packages of many small files, bundled once: each test file starts a worker that would load them one by one. */
const BUNDLED = [
  "ai",
  "zod",
  "hono",
  "hono/cors",
  "hono/route",
  "hono/jsx",
  "hono/jsx/jsx-runtime",
  "hono/jsx/jsx-dev-runtime",
  "micromark",
  "micromark-extension-gfm",
  "@ai-sdk/provider",
  "@cfworker/json-schema",
  "ipaddr.js",
  "jose/errors",
  "jose/jwks/remote",
  "jose/jwt/decode",
  "jose/jwt/verify",
  "standardwebhooks",
];

/** How long a proof runs, and from which seed: set in the environment, read in workerd as bindings. */
const ASKED = ["RECORD_JOURNALS", "LONG_SESSION_STEPS", "FUZZ_CASES", "FC_SEED", "FC_PATH"];
const asked = Object.fromEntries(
  ASKED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
);

function inWorkerd(
  name: string,
  bindings: Record<string, string> = {},
  setupFiles: readonly string[] = [],
) {
  return {
    // Mails are imported as their bytes, in whatever charset they are.
    assetsInclude: ["**/*.eml"],
    plugins: [
      cloudflareTest({
        wrangler: { configPath: `./test/${name}/wrangler.toml` },
        verbose: false,
        miniflare: {
          bindings,
          outboundService: () => new Response("no network in tests", { status: 599 }),
        },
      }),
    ],
    test: {
      name,
      // One worker for all files: starting one costs more than most files do. Sessions are named once over all of them.
      isolate: false,
      setupFiles: [...setupFiles],
      deps: { optimizer: { ssr: { enabled: true, include: BUNDLED } } },
      include: [`test/${name}/**/*.test.ts`],
      testTimeout: 60_000,
      hookTimeout: 60_000,
    },
  };
}

export default defineConfig({
  test: {
    // Much of the time is waiting, for browsers and for processes that start.
    maxWorkers: 4,
    reporters: ["default", leftOutReporter()],
    projects: [
      {
        test: {
          name: "node",
          // Loading the packages for each file anew takes longer than most files do.
          isolate: false,
          // Random cases are as many as are asked for, and a busy machine takes longer.
          testTimeout: process.env["FUZZ_CASES"] === undefined ? 120_000 : 900_000,
          include: [
            "test/{core,agent,session,outbound,pages,inbound,cli}/**/*.test.ts",
            "test/*.test.ts",
          ],
        },
      },
      // The real workerd with real SQLite, one isolate for Worker, objects and tests.
      inWorkerd("workerd", asked, ["test/workerd/own-ledger.ts"]),
      // The same with an inbox bound, which the sessions tell what they commit.
      inWorkerd("inbox", asked),
      // A Worker as its author would write it.
      inWorkerd("samples"),
      // The engine under faults, schedule by schedule: `npm run simulate` plays many, SEED="…" one alone.
      { test: { name: "simulation", include: ["test/schedules/**/*.test.ts"] } },
      {
        // The real thing as a process of its own, started, killed and started again.
        test: {
          name: "process",
          include: ["test/process/**/*.test.ts"],
          globalSetup: "test/process/bundle.ts",
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
