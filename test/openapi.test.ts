import { createConfig, lintFromString } from "@redocly/openapi-core";
import { expect, it } from "vitest";
import { createApp } from "../src/inbound/app.ts";
import type { Door } from "../src/inbound/door.ts";
import { ALL_OPERATIONS, openApiDocument } from "../src/openapi/document.ts";
import { wordsOfReference } from "../src/openapi/words.ts";
import { readPage, tableOf } from "./document-tables.ts";

const reference = await readPage("docs/http.md");
const document = openApiDocument("0.0.0", wordsOfReference(reference));

/** Paths with their parameters' names left out, which the app and the document may call differently. */
const unnamed = (route: string) => route.replaceAll(/:\w+|\{\w+\}/g, "{}");

it("has an entry for each route of the app, and for none that isn't there", () => {
  const served = createApp({} as Door)
    .routes.filter(({ method }) => method !== "ALL")
    .map(({ method, path }) => unnamed(`${method} ${path}`));
  const written = ALL_OPERATIONS.map(({ route }) => unnamed(route));
  expect(written.toSorted()).toEqual([...new Set(served)].toSorted());
});

it("gives each operation a name of its own", () => {
  const ids = ALL_OPERATIONS.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

it("says the rights that the reference says", () => {
  const rows = tableOf(reference, "HTTP: `/v1`").flatMap(({ names, cells }) =>
    names.map((name) => [unnamed(name), cells[1]] as const),
  );
  expect(rows.length).toBeGreaterThan(20);
  for (const [route, right] of rows) {
    const operation = ALL_OPERATIONS.find((each) => unnamed(each.route) === route);
    expect(operation?.right ?? "a signature", route).toBe(right);
  }
});

it("has no fault that a linter of OpenAPI finds, and no example that does not fit its schema", async () => {
  const config = await createConfig({
    extends: ["recommended-strict"],
    rules: {
      "no-invalid-media-type-examples": "error",
      "no-invalid-parameter-examples": "error",
      "no-invalid-schema-examples": "error",
      // `/healthz` refuses nothing. That all other routes say what they refuse is the next test.
      "operation-4xx-response": "off",
    },
  });
  const source = JSON.stringify(document);
  const problems = await lintFromString({ source, absoluteRef: "openapi.json", config });
  const said = problems.map(({ ruleId, message, location }) =>
    [ruleId, message, location[0]?.pointer].join(" "),
  );
  expect(said).toEqual([]);
  const broken = source.replace('"operationId":"startTurn"', '"operationId":"readTurn"');
  expect(await lintFromString({ source: broken, absoluteRef: "openapi.json", config })).not.toEqual(
    [],
  );
});

type Shown = Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
interface Media {
  readonly examples?: Readonly<Record<string, unknown>>;
}

it("shows an example of each body and each answer, and an error of each route that has one", () => {
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(methods)) {
      const responses = operation["responses"] as Shown;
      const body = operation["requestBody"] as Shown[string] | undefined;
      for (const part of [...Object.values(responses), ...(body === undefined ? [] : [body])])
        for (const media of Object.values(part.content ?? {}))
          expect(Object.keys(media.examples ?? {}).length, `${method} ${path}`).toBeGreaterThan(0);
      const refused = Object.keys(responses).filter((status) => Number(status) >= 400);
      if (path !== "/healthz") expect(refused.length, `${method} ${path}`).toBeGreaterThan(1);
    }
});

it("describes a field in the reference's words", () => {
  const { properties } = document.components.schemas["Question"] ?? {};
  expect(properties).toMatchObject({
    requestId: { description: "Its id, `{question}` in the paths." },
    answerUrl: { description: expect.stringContaining("The page to answer it") as string },
  });
});
