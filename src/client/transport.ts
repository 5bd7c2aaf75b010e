/**
 * Owns: one call to the Worker over `fetch`: its address, its key, its tries, and what comes back as a value or an error.
 * What may be sent twice is sent again after a lost answer, 429 and 5xx, as `Retry-After` says or with a growing delay.
 */

import { HoldpointProblem, HoldpointUnreachable, parseProblem } from "./problem.ts";

export interface ClientOptions {
  /** Where the Worker is, e.g. `https://ask.example.com`; anything else throws a TypeError. */
  readonly url: string;
  readonly key: string;
  /** In place of the global one: of a service binding, say. */
  readonly fetch?: (request: Request) => Promise<Response>;
  /** Tries of one call in all, the first one included; 4 where it is left out, 1 for none but the first. */
  readonly tries?: number;
  /** The delay before the second try, which doubles from there; 500 where it is left out. */
  readonly retryDelayMs?: number;
}

/** What any call takes. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface Call extends CallOptions {
  readonly method: "GET" | "POST" | "DELETE";
  /** With its parameters filled in and encoded. */
  readonly path: string;
  readonly query?: object | undefined;
  readonly body?: object | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** False where a second request would do a thing twice. */
  readonly isRepeatable: boolean;
}

export interface Transport {
  /** The body of an accepted call; undefined where it has none. Rejects with what `problem.ts` says. */
  json<T>(call: Call): Promise<T>;
  /** The response of an accepted call, whose body is still to be read. */
  open(call: Call): Promise<Response>;
}

const TRIES = 4;
const RETRY_DELAY_MS = 500;
const RETRY_DELAY_MAX_MS = 20_000;
/** Longer than that is the caller's to wait. */
const RETRY_AFTER_MAX_MS = 60_000;

export function createTransport(options: ClientOptions): Transport {
  const { key, tries = TRIES, retryDelayMs = RETRY_DELAY_MS } = options;
  const base = checkedUrl(options.url).replace(/\/+$/, "");
  // The platform's own error would show it.
  if (!/^[!-~]+$/.test(key))
    throw new TypeError("createClient: key must be visible ASCII characters without spaces");
  const send = options.fetch ?? ((request: Request) => fetch(request));

  async function open(call: Call): Promise<Response> {
    for (let tried = 1; ; tried += 1) {
      const outcome = await attempt(call);
      if (outcome instanceof Response) return outcome;
      const delay = tried < tries ? delayAfter(outcome, call, tried) : undefined;
      if (delay === undefined) throw outcome;
      await pause(delay, call.signal);
    }
  }

  /** One try. What may be better at the next one is returned; that the caller gave up is thrown. */
  async function attempt(call: Call): Promise<Response | HoldpointProblem | HoldpointUnreachable> {
    call.signal?.throwIfAborted();
    const request = new Request(`${base}${call.path}${queryOf(call.query)}`, {
      method: call.method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(call.body !== undefined && { "content-type": "application/json" }),
        ...call.headers,
      },
      ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
      ...(call.signal !== undefined && { signal: call.signal }),
      // Followed, a POST becomes a GET, which is another call.
      redirect: "manual",
    });
    try {
      const response = await send(request);
      return response.ok ? response : await failureOf(response, call);
    } catch (error) {
      call.signal?.throwIfAborted();
      return unreached(call, error);
    }
  }

  async function json<T>(call: Call): Promise<T> {
    for (let tried = 1; ; tried += 1) {
      const response = await open(call);
      try {
        const text = await response.text();
        return (text === "" ? undefined : JSON.parse(text)) as T;
      } catch (error) {
        call.signal?.throwIfAborted();
        // The answer was lost on its way.
        if (tried >= tries || !call.isRepeatable) throw unreached(call, error);
        await pause(growing(tried), call.signal);
      }
    }
  }

  function delayAfter(
    failure: HoldpointProblem | HoldpointUnreachable,
    { isRepeatable }: Call,
    tried: number,
  ): number | undefined {
    const status: number | undefined = failure.status;
    // A request that was refused by 429 did nothing.
    if (!isRepeatable && status !== 429) return undefined;
    if (status !== undefined && !isPassingStatus(status)) return undefined;
    if (failure instanceof HoldpointUnreachable) return growing(tried);
    if (failure.code === "not_configured") return undefined;
    const asked = (failure.retryAfter ?? 0) * 1_000;
    return asked > RETRY_AFTER_MAX_MS ? undefined : Math.max(asked, growing(tried));
  }

  /** Spread over its upper half, so that what failed together does not return together. */
  function growing(tried: number): number {
    const whole = Math.min(retryDelayMs * 2 ** (tried - 1), RETRY_DELAY_MAX_MS);
    return whole * (0.5 + Math.random() / 2);
  }

  return { open, json };
}

/** No word of the address itself: it may hold somebody's password. */
function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isAddress =
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    `${url.username}${url.password}${url.search}${url.hash}` === "";
  if (isAddress) return url.href;
  throw new TypeError(
    "createClient: url must be an address such as https://ask.example.com, with its scheme and without a user, ? or #",
  );
}

/** Whether the same request may be accepted later. */
export function isPassingStatus(status: number): boolean {
  return status === 429 || status >= 500;
}

async function failureOf(
  response: Response,
  call: Call,
): Promise<HoldpointProblem | HoldpointUnreachable> {
  const { status } = response;
  // To a page's script a browser shows a redirect as 0.
  if (status < 400)
    return new HoldpointUnreachable(
      `${call.method} ${call.path}: a redirect, which is not followed`,
      { status },
    );
  const problem = parseProblem(await response.text());
  if (problem !== undefined)
    return new HoldpointProblem(problem, secondsOf(response.headers.get("retry-after")));
  return new HoldpointUnreachable(
    `${call.method} ${call.path}: ${status} from something that is no Holdpoint`,
    { status },
  );
}

function unreached(call: Call, cause: unknown): HoldpointUnreachable {
  return new HoldpointUnreachable(`${call.method} ${call.path}: no answer`, { cause });
}

/** `Retry-After`, in seconds or as a date. */
function secondsOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, (at - Date.now()) / 1_000);
}

function queryOf(query: object = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const pairs = new URLSearchParams(
    given.map(([name, value]) => [name, String(value)] as [string, string]),
  );
  return given.length === 0 ? "" : `?${pairs}`;
}

/** Ends early, by throwing, where the caller gives up. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve();
    }, ms);
    if (signal?.aborted === true) end();
    else signal?.addEventListener("abort", end, { once: true });
  });
}
