import { cloudflareTest } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

function inWorkerd(name: string) {
  return {
    plugins: [
      cloudflareTest({
        wrangler: { configPath: `./test/${name}/wrangler.toml` },
        verbose: false,
        miniflare: {
          outboundService: () => new Response("no network in tests", { status: 599 }),
        },
      }),
    ],
    test: {
      name,
      include: [`test/${name}/**/*.test.ts`],
      testTimeout: 60_000,
      hookTimeout: 60_000,
    },
  };
}

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "node",
          include: ["test/{core,agent,outbound,pages,inbound}/**/*.test.ts", "test/*.test.ts"],
        },
      },
      // The real workerd with real SQLite, one isolate for Worker, objects and tests.
      inWorkerd("workerd"),
      // The same with an inbox bound, which the sessions tell what they commit.
      inWorkerd("inbox"),
      {
        // The real thing as a process of its own, started, killed and started again.
        test: {
          name: "process",
          include: ["test/process/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
