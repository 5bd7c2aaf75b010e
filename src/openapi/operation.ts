/**
 * Owns: what is written down of a route: who may call it, what it takes, what it answers, and with which codes it says
 * "no". The document of the API is made of these, and a test fails for a route that has none.
 */

import type * as z from "zod";
import type { Right } from "../core/key.ts";
import type { ProblemCode } from "../core/problem.ts";

export interface Operation {
  /** As the app routes it, parameters in braces. */
  readonly route: `${"GET" | "POST" | "DELETE"} /${string}`;
  /** Its name in generated clients. */
  readonly id: string;
  readonly tag: Tag;
  /** One line. */
  readonly summary: string;
  readonly description?: string;
  /** The right that a key needs; without one the route needs no key. */
  readonly right?: Right | "read or admin" | "run and read";
  readonly headers?: readonly HeaderName[];
  readonly query?: z.ZodObject;
  readonly body?: Body;
  readonly answers: Readonly<Record<number, Answer>>;
  /** The codes of its refusals beside those that every such route has. */
  readonly refuses?: readonly ProblemCode[];
  /** `service`: the codes and the form of the other wire. `page`: pages, for people. */
  readonly surface?: "service" | "page";
}

export interface Body {
  /** The name of a schema of `schemas.ts`. */
  readonly schema: string;
  readonly isOptional?: boolean;
  /** JSON where it is left out. */
  readonly type?: "application/json" | "application/x-www-form-urlencoded";
  readonly examples: Examples;
}

export interface Answer {
  readonly says: string;
  /** Left out where the answer has no body. */
  readonly schema?: string;
  readonly examples?: Examples;
  readonly headers?: readonly ("Location" | "Preference-Applied")[];
  /** What else it may be, where the caller asks for it. */
  readonly stream?: string;
  /** Of a text that is no JSON: its type, and how it looks. */
  readonly text?: { readonly type: string; readonly example: string };
}

/** By name. */
export type Examples = Readonly<Record<string, unknown>>;

export type HeaderName =
  | "Idempotency-Key"
  | "Prefer"
  | "Last-Event-ID"
  | "X-Workspace-ID"
  | "Idempotency-Key (required)";

export const TAGS = {
  Turns: "One input to an agent, until its result.",
  Questions: "What a person is asked, and how it is answered.",
  Sessions: "One conversation: its turns, messages and events.",
  Chats: "The same for `useChat` of the AI SDK.",
  Deliveries: "What was to reach somebody outside a session.",
  Operations: "Parked turns, the watchdog, and the lists over all sessions.",
  Triggers: "Events of other systems that start a turn.",
  Pages: "What a person sees who was sent a link.",
  Service: "The same sessions as threads, entries and runs.",
} as const;
export type Tag = keyof typeof TAGS;
