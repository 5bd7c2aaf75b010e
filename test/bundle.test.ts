import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

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
