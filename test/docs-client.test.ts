import { globSync } from "node:fs";
import { expect, it } from "vitest";
import { createClient } from "../src/client.ts";
import { namesIn, readPage, tableOf } from "./document-tables.ts";

const page = await readPage("docs/client.md");

it("has a row for each function of the client, and for none that isn't there", () => {
  const client = createClient({ url: "https://ask.example.com", key: "k" });
  const functions = Object.entries(client).flatMap(([family, members]) =>
    Object.keys(members).map((name) => `${family}.${name}`),
  );
  const shown = tableOf(page, "Functions").flatMap(({ names }) =>
    names.map((name) => name.replace(/\(.*/, "")),
  );
  expect(shown.toSorted()).toEqual(functions.toSorted());
});

it("has a row for each option of createClient", async () => {
  const source = await readPage("src/client/transport.ts");
  const body = /interface ClientOptions \{\n(.*?)^\}/ms.exec(source)?.[1] ?? "";
  const options = Array.from(body.matchAll(/^ {2}readonly (\w+)/gm), ([, name = ""]) => name);
  expect(options.length).toBeGreaterThan(3);
  expect(tableOf(page, "`createClient`").flatMap(({ names }) => names)).toEqual(options);
});

it("names every export", async () => {
  const face = await readPage("src/client.ts");
  const exported = Array.from(face.matchAll(/^export (?:type )?\{([^}]+)\}/gm), ([, list = ""]) =>
    list.split(",").map((name) => name.replace("type ", "").trim()),
  ).flat();
  const names = exported.filter((name) => name !== "");
  expect(names.length).toBeGreaterThan(20);
  const shown = new Set(namesIn(page.replaceAll(/^```.*?^```$/gms, "")));
  expect(names.filter((name) => !shown.has(name))).toEqual([]);
});

it("names every command of the command line and every flag of it", async () => {
  const commands = await readPage("docs/command-line.md");
  const rows = tableOf(commands, "The command line").flatMap(({ names }) => names);
  const sources = await Promise.all(globSync("src/cli/*.ts").map(readPage));
  const source = sources.join("\n");
  const said = Array.from(source.matchAll(/\.command\("([^"]+)"\)/g), ([, name = ""]) => name);
  expect(said.length).toBeGreaterThan(7);
  for (const name of said)
    expect(
      rows.some((row) => row === name || row.endsWith(` ${name}`) || row.startsWith(`${name} `)),
      name,
    ).toBe(true);
  for (const [, flag = ""] of source.matchAll(/\.option\("[^"]*(--[a-z]+)/g))
    expect(commands, flag).toContain(flag);
});
