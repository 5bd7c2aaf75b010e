import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Json } from "../../src/core/json.ts";
import { startApp } from "./app.ts";
import { temporaryFolder } from "./dev-server.ts";
import { type DocumentProjects, documentProjects } from "./document-project.ts";
import {
  Names,
  type Place,
  readFiles,
  readSnippets,
  runCommand,
  type Snippet,
} from "./documents.ts";

const docs = readdirSync(join(import.meta.dirname, "../../docs")).filter((name) =>
  name.endsWith(".md"),
);
const documents = ["README.md", ...docs.map((name) => `docs/${name}`)];
const withSnippets: { document: string; snippets: readonly Snippet[] }[] = [];
for (const document of documents) {
  const snippets = await readSnippets(document);
  const { size } = await readFiles(document);
  if (snippets.length > 0 || size > 0) withSnippets.push({ document, snippets });
}

// Each starts a server.
const TIMEOUT = { timeout: 300_000 };

const stack = new AsyncDisposableStack();
let projects: DocumentProjects;

beforeAll(async () => {
  const { path } = stack.use(await temporaryFolder());
  // The README's commands are for the app that ships; the Worker that it shows has a test of its own.
  const shown = documents.filter((document) => document !== "README.md");
  projects = await documentProjects(shown, path);
});
afterAll(() => stack.disposeAsync());

it("shows what compiles", TIMEOUT, async () => {
  const read = await projects.compile();
  for (const path of projects.paths.filter((each) => each.endsWith(".ts")))
    expect(read).toContain(`${path}\n`);
});

it.each(withSnippets)("prints what $document says", TIMEOUT, async ({ document, snippets }) => {
  await using folder = await temporaryFolder();
  const project = projects.of(document);
  const worker = await project?.bundle();
  await using server = await startApp({
    folder: folder.path,
    ...(worker !== undefined && { worker }),
    ...(project !== undefined && { variables: project.variables }),
  });
  const place = { url: server.url, folder: folder.path };
  await expectPrints(snippets, project === undefined ? place : { ...place, cwd: project.folder });
});

it("prints in the README what the first request returns, its answer and its end", () => {
  const [readme] = withSnippets;
  expect(readme?.document).toBe("README.md");
  expect(readme?.snippets.filter(({ prints }) => prints !== undefined)).toHaveLength(3);
});

/** A problem document, or a refusal as a document's own Worker tells it. */
const REFUSAL = /\{"(?:type":"about:blank|code)"/;

async function expectPrints(snippets: readonly Snippet[], place: Place): Promise<void> {
  const names = new Names();
  for (const { command, prints, isText } of snippets) {
    const printed = await runCommand(names.inCommand(command), place);
    if (prints === undefined) {
      expect(printed, command).not.toMatch(REFUSAL);
      continue;
    }
    const read = (text: string) => (isText ? withoutAges(text) : (JSON.parse(text) as Json));
    const expected = names.masked(read(prints));
    expect(names.maskedReal(read(printed)), command).toEqual(expected);
  }
}

/** The command line says how old a thing is, right-aligned. */
function withoutAges(text: string): string {
  return text.replaceAll(/ +\d+[smhd]\b/g, " <age>");
}
