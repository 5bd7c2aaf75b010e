import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { clientOf } from "./client.ts";
import { environment, startDevServer, temporaryFolder } from "./dev-server.ts";
import { readFiles } from "./documents.ts";
import { type LibraryProject, libraryProject, printed } from "./library-project.ts";

const metafileSchema = z.object({
  outputs: z.record(
    z.string(),
    z.object({ inputs: z.record(z.string(), z.object({ bytesInOutput: z.number() })) }),
  ),
});
const PROVIDERS =
  /node_modules\/(@ai-sdk\/(?:anthropic|openai|openai-compatible)|workers-ai-provider)\//;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let project: LibraryProject;

beforeAll(async () => {
  folder = await temporaryFolder();
  project = await libraryProject(folder.path);
});

afterAll(() => folder[Symbol.asyncDispose]());

it("packs the compiled library and nothing else", async () => {
  expect(project.tarball).toBe("holdpoint-0.1.0.tgz");
  const known =
    /^(?:lib\/.+\.(?:js|d\.ts)|lib\/openapi\.json|bin\/holdpoint\.js|README\.md|LICENSE|package\.json)$/;
  expect(project.packed.filter((path) => !known.test(path))).toEqual([]);
  expect(project.packed).toContain("lib/holdpoint.js");
  expect(project.packed).toContain("lib/holdpoint.d.ts");
  expect(project.packed).toContain("lib/client.d.ts");
  for (const shipped of ["index", "loan-desk", "playground"])
    expect(project.packed).not.toContain(`lib/${shipped}.js`);
});

it("shows in the README a Worker of under twenty lines", async () => {
  const worker = (await readFiles("README.md")).get("src/index.ts") ?? "";
  expect(worker).toContain("export default harness.worker;");
  expect(worker.trimEnd().split("\n").length).toBeLessThan(20);
});

it.each([
  ["bundler", "esnext"],
  ["nodenext", "nodenext"],
])(
  "gives a strict project its types by the module resolution of %s",
  async (resolution, module) => {
    const flags = ["--moduleResolution", resolution, "--module", module];
    expect(await project.run("tsc", "-p", "strict.tsconfig.json", ...flags)).toBe("");
  },
);

it("compiles what the README shows by the tsconfig.json that it shows", async () => {
  // It prints the files, where it finds nothing to complain of.
  const files = await project.run("tsc", "-p", ".", "--listFiles");
  for (const file of ["src/index.ts", "src/model.ts"]) expect(files).toContain(`/${file}\n`);
});

it("brings the client, the command line and the document of the API", async () => {
  const script = `
    import { createClient } from "holdpoint/client";
    import document from "holdpoint/openapi.json" with { type: "json" };
    const client = createClient({ url: "http://localhost:1", key: "k", tries: 1 });
    const { name } = await client.turns.get("turn_1").catch((error) => error);
    console.log(JSON.stringify([name, document.openapi]));`;
  const node = (...args: string[]) =>
    printed(process.execPath, args, folder.path, environment(folder.path));
  const said = await node("--input-type=module", "--eval", script);
  expect(JSON.parse(said)).toEqual(["HoldpointUnreachable", "3.1.1"]);
  const key = await node("node_modules/holdpoint/bin/holdpoint.js", "key", "new", "--json");
  expect(JSON.parse(key)).toMatchObject({ entry: { can: ["run", "answer", "read"] } });
});

it("bundles no provider's package for a Worker with a model of its own", async () => {
  const readmes = await bundle("src/index.ts");
  const own = await bundle("own-model.ts");
  expect(readmes.providers).toHaveLength(4);
  expect(own.providers).toEqual([]);
  expect(own.bytes).toBeLessThan(readmes.bytes);
  console.log(`gzipped: ${kib(own.bytes)} with a model of its own, ${kib(readmes.bytes)} with all`);
});

it("answers a request from the README's Worker, which parks, and completes when it is answered", async () => {
  await using server = await startDevServer({ folder: folder.path, start: project.dev });
  const client = clientOf(server.url);
  const parked = await client.start({ input: "Pre-approve APP-1008: income 5000, debt 2350" });
  expect(parked).toMatchObject({ status: "parked", agent: "default" });
  await client.answer(parked.waitingFor?.[0]?.requestId ?? "", { option: "approve" });
  expect(await client.settled(parked.id)).toMatchObject({
    status: "completed",
    text: expect.stringMatching(/^APP-1008 is pre-approved: /) as string,
  });
});

interface Bundle {
  readonly bytes: number;
  /** The packages of providers that are in it. */
  readonly providers: readonly string[];
}

async function bundle(entry: string): Promise<Bundle> {
  const name = `bundle of ${basename(entry)}`;
  await project.run(
    "wrangler",
    "deploy",
    entry,
    "--dry-run",
    "--minify",
    "--metafile",
    "--outdir",
    name,
  );
  const file = (path: string) => readFile(join(folder.path, name, path), "utf8");
  const { outputs } = metafileSchema.parse(JSON.parse(await file("bundle-meta.json")));
  const providers = Object.values(outputs)
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .flatMap(([path]) => PROVIDERS.exec(path)?.[1] ?? []);
  const script = await file(`${basename(entry, ".ts")}.js`);
  return { bytes: gzipSync(script).length, providers: [...new Set(providers)] };
}

function kib(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KiB`;
}
