import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { htmlEntities } from "../node_modules/postal-mime/dist/esm/html-entities.js";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { afterEach, expect, it, vi } from "vitest";

/** Who imports `zod/v4`, for which `bundle/zod-v4.js` stands in the deployed bundle. */
const PACKAGES = [
  "ai",
  "@ai-sdk/anthropic",
  "@ai-sdk/openai",
  "@ai-sdk/openai-compatible",
  "@ai-sdk/provider-utils",
];

const root = join(import.meta.dirname, "..");
const substitute: Record<string, unknown> = await import(join(root, "bundle/zod-v4.js"));
const names = substitute["z"] as Record<string, unknown>;

async function codeOf(name: string): Promise<string> {
  const manifest = createRequire(join(root, "package.json")).resolve(`${name}/package.json`);
  return readFile(join(dirname(manifest), "dist/index.js"), "utf8");
}

it.each(PACKAGES)("%s finds in the bundle's zod all that it takes from zod/v4", async (name) => {
  const code = await codeOf(name);
  const imports = Array.from(code.matchAll(/import \{([^}]+)\} from "zod\/v4"/g), ([, list = ""]) =>
    list.split(",").map((each) => each.trim().split(" as ")[0] ?? ""),
  ).flat();
  for (const imported of imports) expect(substitute, imported).toHaveProperty(imported);
  if (!imports.includes("z")) return;
  const used = new Set(
    Array.from(code.matchAll(/\bz\.([a-zA-Z]+)\(/g), ([, member = ""]) => member),
  );
  expect(used.size).toBeGreaterThan(5);
  for (const each of used) expect(names, `z.${each}`).toHaveProperty(each);
});

it("shares zod's own functions, so a schema is the same on both sides", async () => {
  const zod: Record<string, unknown> = await import("zod/v4");
  for (const [name, value] of Object.entries(names))
    if (name !== "coerce" && name !== "iso") expect(value, name).toBe(zod[name]);
});

it("has in the gateway's place all that the AI SDK takes from it, and refuses what it is asked for", async () => {
  const stub: Record<string, unknown> = await import(join(root, "bundle/gateway.js"));
  const code = await codeOf("ai");
  const [, list = ""] = /import \{([^}]+)\} from "@ai-sdk\/gateway"/.exec(code) ?? [];
  const imported = list.split(",").map((each) => each.trim().split(" as ")[0] ?? "");
  expect(imported.length).toBeGreaterThan(2);
  for (const name of imported) expect(stub, name).toHaveProperty(name);
  expect(stub["gateway"]).toThrow("never by its bare name");
});

/** A bundler that meets one wraps all that stands behind it, zod too: a module that comes early finds zod's classes undefined. */
it("has no dynamic import in the library, so that a Worker may import its modules and zod in any order", async () => {
  const files = await readdir(join(root, "src"), { recursive: true });
  const sources = files.filter((file) => /\.tsx?$/.test(file) && !file.startsWith("cli"));
  expect(sources.length).toBeGreaterThan(100);
  for (const file of sources)
    expect(await readFile(join(root, "src", file), "utf8"), file).not.toMatch(/\bimport\((?!\))/);
});

type CreateProvider = (options: { apiKey: string; baseURL: string }) => {
  languageModel(id: string): LanguageModelV4;
};

const PROVIDERS: [string, CreateProvider, string][] = [
  ["openai.js", createOpenAI, "createOpenAI"],
  ["anthropic.js", createAnthropic, "createAnthropic"],
];

const CALL: LanguageModelV4CallOptions = {
  prompt: [
    { role: "system", content: "Ask where the policy is silent." },
    {
      role: "user",
      content: [
        { type: "text", text: "go" },
        {
          type: "file",
          mediaType: "image/png",
          data: { type: "url", url: new URL("https://files.test/a.png") },
        },
      ],
    },
  ],
  tools: [{ type: "function", name: "ask", inputSchema: { type: "object", properties: {} } }],
  providerOptions: { openai: { store: false } },
};

afterEach(() => {
  vi.restoreAllMocks();
});

/** What goes to the provider for one call in one piece and one as a stream, and what the model says of itself. */
async function asked(create: CreateProvider): Promise<unknown> {
  const requests: unknown[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (url, init) => {
    requests.push([String(url), init?.headers, JSON.parse(String(init?.body))]);
    const error = { type: "api_error", message: "no" };
    return Response.json({ type: "error", error }, { status: 400 });
  });
  const model = create({
    apiKey: "key-1",
    baseURL: "https://models.test/v1",
  }).languageModel("some-model");
  await expect(model.doGenerate(CALL)).rejects.toThrow("no");
  await expect(model.doStream(CALL)).rejects.toThrow("no");
  const { provider, modelId, specificationVersion, supportedUrls } = model;
  return { requests, provider, modelId, specificationVersion, supportedUrls: await supportedUrls };
}

it.each(PROVIDERS)(
  "%s asks a model as the package's own provider does",
  async (file, own, name) => {
    const here: Record<string, CreateProvider> = await import(join(root, "bundle", file));
    const create = here[name];
    if (create === undefined) throw new Error(`no ${name}`);
    const inBundle = await asked(create);
    expect(inBundle).toEqual(await asked(own));
    expect(inBundle).toHaveProperty("requests.1.2.stream", true);
  },
);

it("reads each named character of HTML as the mail parser's own table does, and no other", async () => {
  const here: { htmlEntities: Record<string, string> } = await import(
    join(root, "bundle/html-entities.js")
  );
  for (const [written, character] of Object.entries(htmlEntities))
    expect(here.htmlEntities[written], written).toBe(character);
  for (const written of ["&alpha", "&nothing;", "&constructor;", "&toString", "&", "alpha;"])
    expect(here.htmlEntities[written], written).toBeUndefined();
});
