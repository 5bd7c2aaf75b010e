/**
 * Makes the static assets that are served beside the Worker: `/openapi.json` from the schemas and the reference, and the
 * files of the interactive reference at `/docs` from their package. `wrangler.toml` runs it before each build.
 */

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { openApiDocument } from "../src/openapi/document.ts";
import { wordsOfReference } from "../src/openapi/words.ts";

const root = join(import.meta.dirname, "..");
const assets = join(root, "assets");
const viewer = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));

const START = `// The document and all that the page loads come from this Worker.
window.ui = SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#reference",
  validatorUrl: null,
  persistAuthorization: false,
  tryItOutEnabled: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
});
`;

const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
  readonly version: string;
};
const words = wordsOfReference(await readFile(join(root, "docs/http.md"), "utf8"));
const document = `${JSON.stringify(openApiDocument(version, words))}\n`;

await mkdir(join(assets, "docs"), { recursive: true });
await write("openapi.json", document);
await write("docs/start.js", START);
for (const name of ["swagger-ui-bundle.js", "swagger-ui.css", "favicon-32x32.png"])
  await write(`docs/${name}`, await readFile(join(viewer, name)));

/** A file that is as it should be is left alone: each server that runs on them starts anew when one changes. */
async function write(name: string, content: string | Uint8Array): Promise<void> {
  const path = join(assets, name);
  const before = await readFile(path).catch(() => undefined);
  if (before?.equals(Buffer.from(content)) !== true) await writeFile(path, content);
}
