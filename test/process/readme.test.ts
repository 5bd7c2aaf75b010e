import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Json } from "../../src/core/json.ts";
import { startDevServer, temporaryFolder } from "./dev-server.ts";
import { Names, type Place, readSnippets, runCommand, type Snippet } from "./documents.ts";

const docs = readdirSync(join(import.meta.dirname, "../../docs")).filter((name) =>
  name.endsWith(".md"),
);
const documents = ["README.md", ...docs.map((name) => `docs/${name}`)];
const withSnippets: { document: string; snippets: readonly Snippet[] }[] = [];
for (const document of documents) {
  const snippets = await readSnippets(document);
  if (snippets.length > 0) withSnippets.push({ document, snippets });
}

it.each(withSnippets)("prints what $document says", async ({ snippets }) => {
  await using folder = await temporaryFolder();
  await using server = await startDevServer({ folder: folder.path });
  await expectPrints(snippets, { url: server.url, folder: folder.path });
});

it("prints in the README what the first request returns, its answer and its end", () => {
  const [readme] = withSnippets;
  expect(readme?.document).toBe("README.md");
  expect(readme?.snippets.filter(({ prints }) => prints !== undefined)).toHaveLength(3);
});

async function expectPrints(snippets: readonly Snippet[], place: Place): Promise<void> {
  const names = new Names();
  for (const { command, prints } of snippets) {
    const printed = await runCommand(names.inCommand(command), place);
    if (prints === undefined) continue;
    const expected = names.masked(JSON.parse(prints) as Json);
    expect(names.maskedReal(JSON.parse(printed) as Json), command).toEqual(expected);
  }
}
