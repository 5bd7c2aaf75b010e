import { globSync } from "node:fs";
import { expect, it } from "vitest";
import { readPage } from "./document-tables.ts";

/** What stands behind the three backticks of a block that `test/process/readme.test.ts` runs: alone, or in the page's Worker. */
const RUN = /^(?:sh run|json prints|text prints|\w+ [\w./-]*\.\w+)$/;
/** They have tests of their own blocks: of facts, of exchanges, of streams, of deploying, of a page, of Workers beside a Slack and a post office. */
const OTHERS = new Set([
  "docs/chat.md",
  "docs/channels.md",
  "docs/deploy.md",
  "docs/events.md",
  "docs/journal.md",
  "docs/service.md",
]);
const pages = globSync("docs/*.md").filter((path) => !OTHERS.has(path));

interface Block {
  readonly info: string;
  readonly text: string;
}

async function blocksOf(path: string): Promise<readonly Block[]> {
  const page = await readPage(path);
  return Array.from(page.matchAll(/^```([^\n]*)\n(.*?)^```$/gms), ([, info = "", text = ""]) => ({
    info,
    text,
  }));
}

it("finds the pages and their blocks", async () => {
  expect(pages).toEqual(
    expect.arrayContaining(["docs/http.md", "docs/library.md", "docs/recipes.md"]),
  );
  const blocks = await Promise.all(pages.map(blocksOf));
  expect(blocks.flat().length).toBeGreaterThan(50);
});

it.each(pages)("has each block of %s run by a test", async (path) => {
  for (const { info } of await blocksOf(path)) expect(info).toMatch(RUN);
});

it.each(pages)("has each file of %s in its Worker, or run by a command", async (path) => {
  const blocks = await blocksOf(path);
  const files = blocks.filter(({ info }) => info.startsWith("ts "));
  for (const { info } of files) {
    const file = info.slice("ts ".length);
    const isUsed = blocks.some((block) =>
      block.info.startsWith("ts ")
        ? block.text.includes(`from "./${file.replace(/^src\/|\.ts$/g, "")}"`)
        : block.info === "sh run" && block.text.includes(`node ${file} `),
    );
    expect(isUsed || file === "src/index.ts", file).toBe(true);
  }
});
