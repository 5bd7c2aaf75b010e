/** Owns: how the routes of `/api/v1` say "no", in the document of the API. */

import { SERVICE_STATUS, type ServiceCode } from "../core/service.ts";
import { IDS } from "./examples.ts";
import type { Operation } from "./operation.ts";
import { refTo } from "./schemas.ts";

interface Told {
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>> | null;
}

const TOLD: Readonly<Record<ServiceCode, Told>> = {
  invalid_argument: {
    message: "The body is not valid.",
    details: { fields: [{ field: "agent_id", reason: "is missing: it must be a string" }] },
  },
  invalid_cursor: {
    message: "Take the cursor from next_cursor of the page before.",
    details: null,
  },
  unauthenticated: {
    message: "Send a valid key as Authorization: Bearer <key>.",
    details: null,
  },
  forbidden: { message: "The key does not belong to this workspace.", details: null },
  not_found: { message: "There is no such run.", details: { kind: "run", id: IDS.run } },
  conflict: {
    message: "The run is not the last waiting one of its turn.",
    details: { kind: "run", id: IDS.run, reason: "not_idle_waiting_head" },
  },
  payload_too_large: { message: "A body holds at most 2097152 bytes.", details: null },
  rate_limited: { message: "Too many requests.", details: null },
  internal: {
    message: "Something went wrong on our side. Quote the request's id when you report it.",
    details: null,
  },
  unavailable: { message: "The session did not answer.", details: null },
};

export function serviceAnswers(operation: Operation): Readonly<Record<string, unknown>> {
  const byStatus = Map.groupBy(codesOf(operation), (code) => SERVICE_STATUS[code]);
  return Object.fromEntries(
    Array.from(byStatus, ([status, codes]) => [
      status,
      {
        description: codes.map((code) => TOLD[code].message).join(" "),
        headers: { "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" } },
        content: {
          "application/json": {
            schema: refTo("ServiceError"),
            examples: Object.fromEntries(
              codes.map((code) => [
                code,
                { value: { error: { code, ...TOLD[code], request_id: IDS.request } } },
              ]),
            ),
          },
        },
      },
    ]),
  );
}

function codesOf({ body, query, refuses = [] }: Operation): readonly ServiceCode[] {
  return [
    ...(body !== undefined || query !== undefined ? (["invalid_argument"] as const) : []),
    ...(refuses.includes("invalid_cursor") ? (["invalid_cursor"] as const) : []),
    "unauthenticated",
    "forbidden",
    ...(refuses.includes("not_found") ? (["not_found"] as const) : []),
    ...(body !== undefined ? (["conflict", "payload_too_large"] as const) : []),
    "internal",
    "unavailable",
  ];
}
