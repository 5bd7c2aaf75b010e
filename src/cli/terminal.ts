/** Owns: where the command line reads and writes, and whom it asks. */

import { userInfo } from "node:os";
import { createInterface } from "node:readline";
import { createClient, type Client } from "../client.ts";
import { harmlessJson } from "./harmless.ts";

/** What `npm run dev` listens on and brings. */
const LOCAL_URL = "http://localhost:8787";
const LOCAL_KEY = "dev-key";

export interface Reached {
  readonly url?: string;
  readonly key?: string;
}

export function clientOf({ url, key }: Reached): Client {
  const { HOLDPOINT_URL = LOCAL_URL, HOLDPOINT_KEY = LOCAL_KEY } = process.env;
  return createClient({ url: url ?? HOLDPOINT_URL, key: key ?? HOLDPOINT_KEY });
}

export function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function sayJson(value: unknown): void {
  say(harmlessJson(value));
}

export function whoAmI(): string {
  return userInfo().username;
}

/** Lines of the standard input, asked for one by one. */
export function lines(): { ask(prompt: string): Promise<string>; close(): void } {
  const reader = createInterface({ input: process.stdin });
  const iterator = reader[Symbol.asyncIterator]();
  return {
    async ask(prompt) {
      process.stderr.write(prompt);
      const { done, value } = await iterator.next();
      if (done === true) throw new Error("nothing was answered: the input ended");
      return value.trim();
    },
    close: () => reader.close(),
  };
}

/** Ends with the next Ctrl+C, which then is no error. */
export function untilInterrupted(): AbortSignal {
  const controller = new AbortController();
  process.once("SIGINT", () => controller.abort());
  return controller.signal;
}
