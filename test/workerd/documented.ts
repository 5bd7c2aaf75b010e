/**
 * Owns: holding what the Worker really answers to the document of its API: the status is one that the route's entry names,
 * and the body fits its schema.
 */

import { type Schema, Validator } from "@cfworker/json-schema";
import { expect } from "vitest";
import { openApiDocument } from "../../src/openapi/document.ts";

const document = openApiDocument("0.0.0", () => undefined);

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}
type Content = Readonly<Record<string, { readonly schema: Schema }>>;

const PATHS = Object.entries(document.paths)
  .map(([path, methods]) => ({
    path,
    matches: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
    methods: methods as unknown as Readonly<Record<string, Operation>>,
  }))
  // A path without parameters is nearer than one with them.
  .toSorted((one, other) => one.path.split("{").length - other.path.split("{").length);

const validators = new Map<string, Validator>();

function validatorOf(schema: Schema): Validator {
  const key = JSON.stringify(schema);
  const known = validators.get(key);
  if (known !== undefined) return known;
  const { components } = document;
  const made = new Validator({ ...schema, components } as Schema, "2020-12", false);
  validators.set(key, made);
  return made;
}

/** What is written down of the route to which a request goes; undefined where it goes to none. */
export function operationOf(method: string, url: string): Operation | undefined {
  const { pathname } = new URL(url);
  return PATHS.find(({ matches }) => matches.test(pathname))?.methods[method.toLowerCase()];
}

/** Reads the response to its end, unless it is no JSON. */
export async function expectDocumented(
  method: string,
  url: string,
  response: Response,
): Promise<void> {
  const operation = operationOf(method, url);
  if (operation === undefined) return;
  const { operationId, responses } = operation;
  const { status } = response;
  const what = `${operationId} ${status}`;
  expect(Object.keys(responses), what).toContain(String(status));
  const [type = ""] = (response.headers.get("content-type") ?? "").split(";");
  const content = responses[status]?.content ?? {};
  if (type === "") expect(content, what).toEqual({});
  else expect(Object.keys(content), what).toContain(type);
  const schema = content[type]?.schema;
  if (schema === undefined || !type.endsWith("json")) return;
  const body: unknown = await response.json();
  const { valid, errors } = validatorOf(schema).validate(body);
  if (!valid)
    expect.fail(
      `${what} is not as its schema says: ${JSON.stringify(errors.slice(-3))} in ${JSON.stringify(body).slice(0, 2_000)}`,
    );
}
