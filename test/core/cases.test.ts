/// <reference types="node" />
import { readFile, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

/** The folder that the cases came from, where it is at hand. */
const original = process.env.CASES_DIR;
const copy = join(dirname(fileURLToPath(import.meta.url)), "../fixtures/cases");

it.runIf(original !== undefined)(
  "the copied cases equal the originals, byte for byte",
  async () => {
    const names = (await readdir(original ?? "")).filter((name) => name.endsWith(".json"));
    expect((await readdir(copy)).toSorted()).toEqual(names.toSorted());
    for (const name of names)
      expect(await readFile(join(copy, name)), name).toEqual(
        await readFile(join(original ?? "", name)),
      );
  },
);
