/**
 * Owns: the OpenAPI document of the HTTP surface, assembled from what is written down of its routes and from the schemas
 * that check them. Does not own: the words about single fields, which are those of the reference (`docs/http.md`).
 */

import { IDEMPOTENCY_KEY_CHARACTERS } from "../core/limits.ts";
import { type ProblemCode, PROBLEMS } from "../core/problem.ts";
import { IDS, problemExample } from "./examples.ts";
import {
  type Answer,
  type Body,
  type Examples,
  type HeaderName,
  type Operation,
  TAGS,
} from "./operation.ts";
import { OPERATIONS } from "./operations.ts";
import { QUESTIONS } from "./questions.ts";
import { documentSchemas, problemSchema, queryParameters, refTo, type Schema } from "./schemas.ts";
import { CHAT_OPERATIONS } from "./chat.ts";
import { SERVICE } from "./service.ts";
import { serviceAnswers } from "./service-problems.ts";
import { TURNS } from "./turns.ts";

export const ALL_OPERATIONS: readonly Operation[] = [
  ...CHAT_OPERATIONS,
  ...TURNS,
  ...QUESTIONS,
  ...OPERATIONS,
  ...SERVICE,
];

type Part = Readonly<Record<string, unknown>>;

export interface OpenApiDocument extends Part {
  readonly openapi: "3.1.1";
  readonly paths: Readonly<Record<string, Readonly<Record<string, Part>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> } & Part;
}

/** What the reference says of a field: `Turn.status` → its words, where it says something. */
export type WordsOf = (schema: string, field: string) => string | undefined;

export function openApiDocument(version: string, wordsOf: WordsOf): OpenApiDocument {
  const paths: Record<string, Record<string, Part>> = {};
  for (const operation of ALL_OPERATIONS) {
    const [method = "", path = ""] = operation.route.split(" ");
    (paths[path] ??= {})[method.toLowerCase()] = operationPart(operation, path, wordsOf);
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Holdpoint",
      version,
      summary: "AI agents that stop and ask a person.",
      description:
        "Start turns, answer questions, follow what happens. JSON in and out; a field or a query parameter that is not known is refused; errors are RFC 9457 problem documents.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "This Worker." }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    security: [{ key: [] }],
    paths,
    components: {
      securitySchemes: {
        key: {
          type: "http",
          scheme: "bearer",
          description:
            "The key decides in which workspace the caller is, and what it may do: `run`, `answer`, `read`, `admin`.",
        },
      },
      parameters: Object.fromEntries(
        Object.entries(PARAMETERS).map(([name, said]) => [componentName(name), said]),
      ),
      headers: HEADERS,
      schemas: describedSchemas(wordsOf),
    },
  };
}

function operationPart(operation: Operation, path: string, wordsOf: WordsOf): Part {
  const { id, tag, summary, description, right, body, headers = [], query } = operation;
  const needs =
    right === undefined ? "" : `Needs the right ${right.replaceAll(/\b(?!or|and)\w+/g, "`$&`")}.`;
  const named = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = ""]) => name);
  const parameters = [
    ...[...named, ...headers].map((name) => ({
      $ref: `#/components/parameters/${componentName(name)}`,
    })),
    ...(query === undefined ? [] : queryParameters(query)).map((parameter) => {
      const said = wordsOf("Query", parameter.name);
      return {
        name: parameter.name,
        in: "query",
        ...(parameter.isRequired && { required: true }),
        ...(said !== undefined && { description: said }),
        schema: parameter.schema,
      };
    }),
  ];
  return {
    operationId: id,
    summary,
    description: [description ?? `${summary}.`, needs].join(" ").trim(),
    tags: [tag],
    security: right === undefined ? [] : [{ key: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: requestBody(body) }),
    responses: { ...answers(operation.answers), ...refusals(operation) },
  };
}

function requestBody({ schema, isOptional, type = "application/json", examples }: Body): Part {
  return {
    required: isOptional !== true,
    content: { [type]: { schema: refTo(schema), examples: written(examples) } },
  };
}

function answers(all: Readonly<Record<number, Answer>>): Part {
  return Object.fromEntries(Object.entries(all).map(([status, said]) => [status, answer(said)]));
}

function answer({ says, schema, examples = {}, headers = [], stream, text }: Answer): Part {
  const content = {
    ...(schema !== undefined && {
      "application/json": { schema: refTo(schema), examples: written(examples) },
    }),
    ...(stream !== undefined && {
      "text/event-stream": {
        schema: {
          type: "string",
          description: "Each event's data is one line of JSON.",
          contentMediaType: "application/json",
          contentSchema: refTo("SessionEvent"),
        },
        examples: written({ events: stream }),
      },
    }),
    ...(text !== undefined && {
      [text.type]: { schema: { type: "string" }, examples: written({ text: text.example }) },
    }),
  };
  const shown = [...headers, "X-Request-Id" as const];
  return {
    description: says,
    headers: Object.fromEntries(
      shown.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
    ),
    ...(Object.keys(content).length > 0 && { content }),
  };
}

function written(examples: Examples): Part {
  return Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]));
}

function refusals(operation: Operation): Part {
  if (operation.surface === "page") return {};
  if (operation.surface === "service") return serviceAnswers(operation);
  const byStatus = Map.groupBy(refusedCodes(operation), (code) => PROBLEMS[code].status);
  return Object.fromEntries(
    Array.from(byStatus, ([status, codes]) => [
      status,
      {
        description: codes.map((code) => `${PROBLEMS[code].title}.`).join(" "),
        headers: {
          "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" },
          ...((status === 503 || status === 429) && {
            "Retry-After": { $ref: "#/components/headers/Retry-After" },
          }),
        },
        content: {
          "application/problem+json": {
            schema: problemSchema(codes),
            examples: written(
              Object.fromEntries(codes.map((code) => [code, problemExample(code)])),
            ),
          },
        },
      },
    ]),
  );
}

/** All codes with which a route says "no", those aside which are no answer of a route at all. */
function refusedCodes({ right, body, query, headers = [], refuses = [], route }: Operation) {
  const codes = new Set<ProblemCode>();
  const takes = body !== undefined || query !== undefined || headers.length > 0;
  if (takes || route.includes("{session}")) codes.add("invalid_request");
  if (right !== undefined) codes.add("unauthenticated").add("forbidden").add("rate_limited");
  for (const code of refuses) codes.add(code);
  if (body !== undefined) codes.add("payload_too_large").add("unsupported_media_type");
  if (route !== "GET /healthz") codes.add("internal").add("not_configured").add("unavailable");
  return [...codes];
}

function describedSchemas(wordsOf: WordsOf): Readonly<Record<string, Schema>> {
  return Object.fromEntries(
    Object.entries(documentSchemas()).map(([name, schema]) => {
      const properties = Object.entries((schema["properties"] ?? {}) as Record<string, Schema>);
      const described = properties.map(([field, shown]) => {
        const said = wordsOf(name, field);
        return [field, said === undefined ? shown : { ...shown, description: said }];
      });
      return [
        name,
        properties.length === 0
          ? schema
          : { ...schema, properties: Object.fromEntries(described) as Schema },
      ];
    }),
  );
}

/** The names of components have no spaces. */
function componentName(name: string): string {
  return name.replace(" (required)", "Required");
}

const string = { type: "string" };

function inPath(name: string, description: string, example: string): Part {
  return { name, in: "path", required: true, description, schema: string, example };
}

const KEY_SCHEMA = { ...string, pattern: "^[!-~]+$", maxLength: IDEMPOTENCY_KEY_CHARACTERS };
const KEY_SAYS =
  "The same key with the same body starts nothing twice, and answers with what the first request started.";

function inHeader(name: string, description: string, schema: Schema): Part {
  return { name, in: "header", description, schema };
}

const PARAMETERS: Readonly<Record<string, Part>> & Readonly<Record<HeaderName, Part>> = {
  turn: inPath("turn", "A turn's id.", IDS.turn),
  session: inPath(
    "session",
    "A session's id, or a name of your own: 1 to 128 of `A-Z a-z 0-9 . _ ~ : @ -`, but not `.` or `..`.",
    "loan-7",
  ),
  chat: inPath("chat", "A session's id, or the chat's own id, which is its name.", "chat-1"),
  question: inPath("question", "A question's `requestId`.", IDS.question),
  delivery: inPath("delivery", "A delivery's id.", IDS.delivery),
  trigger: inPath("trigger", "The trigger's name.", "github"),
  token: inPath("token", "The signed token of a link.", "AZu9rgKEV6sIOSHVZgAAAAQ"),
  thread: inPath("thread", "A thread's id.", IDS.thread),
  entry: inPath("entry", "A message's id.", IDS.entry),
  run: inPath("run", "A run's id.", IDS.run),
  "Idempotency-Key": inHeader("Idempotency-Key", KEY_SAYS, KEY_SCHEMA),
  "Idempotency-Key (required)": {
    ...inHeader("Idempotency-Key", KEY_SAYS, KEY_SCHEMA),
    required: true,
  },
  Prefer: {
    ...inHeader(
      "Prefer",
      "`wait=N`: answer when the turn is settled or parked, or after N seconds, at most 60.",
      string,
    ),
    example: "wait=20",
  },
  "Last-Event-ID": {
    ...inHeader("Last-Event-ID", "Continue right behind this event.", string),
    example: "5.1",
  },
  "X-Workspace-ID": inHeader(
    "X-Workspace-ID",
    "The key's own workspace; any other is refused.",
    string,
  ),
};

const HEADERS: Readonly<Record<string, Part>> = {
  "X-Request-Id": { description: "By which the log knows the request.", schema: string },
  Location: { description: "The path of what was made.", schema: string },
  "Preference-Applied": { description: "How long was waited at most.", schema: string },
  "Retry-After": { description: "Seconds after which to try again.", schema: { type: "integer" } },
};
