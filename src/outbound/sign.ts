/**
 * Owns: the tokens of answer links, and the nonces of the forms behind them: what they say, how they are signed and how
 * they are checked. Does not own: who may answer a question, nor how often a link may be tried.
 *
 * A token is base64url, without padding, of
 *
 *   version 1 byte · session key 12 · question's number 4 · expiry 6 (0 = none; milliseconds) · workspace length 1 ·
 *   workspace · recipient (UTF-8, may be empty) · HMAC-SHA-256 32
 *
 * and a nonce of: version 1 · issue time 6 (milliseconds) · HMAC-SHA-256 32. One secret signs both.
 */

import { base64url, concatenate, utf8 } from "../core/bytes.ts";
import { formatId, parseId } from "../core/ids.ts";
import { ANSWERED_BY_CHARACTERS } from "../core/limits.ts";
import { importMacKey, isMacOf, macOf } from "./mac.ts";

/** What a link says: this question, to this recipient, until then. */
export interface Link {
  readonly workspace: string;
  /** `q_…`: it names the session as well. */
  readonly requestId: string;
  /** Who answers by it. Left out where the question was addressed to nobody. */
  readonly recipient?: string;
  /** Milliseconds since 1970. From this moment on the link is expired. */
  readonly expiresAt?: number;
}

export type LinkCheck =
  | { readonly ok: true; readonly link: Link }
  | { readonly ok: false; readonly why: "forged" | "expired" };

/** A form that was opened longer ago has to be opened again. */
export const NONCE_LIFETIME_MS = 24 * 60 * 60 * 1_000;

const VERSION = 1;
const KEY_BYTES = 12;
const NUMBER_BYTES = 4;
const TIME_BYTES = 6;
const MAC_BYTES = 32;
const FIXED_BYTES = 1 + KEY_BYTES + NUMBER_BYTES + TIME_BYTES + 1;
const WORKSPACE_PATTERN = /^[a-z0-9-]{1,32}$/;
const WORKSPACE_BYTES_MAX = 32;
const RECIPIENT_BYTES_MAX = ANSWERED_BY_CHARACTERS * 4;
const NONCE_BYTES = 1 + TIME_BYTES + MAC_BYTES;

// Longer than any token of ours. What is longer is forged, and is found so before any work is done on it.
const TOKEN_CHARACTERS_MAX = Math.ceil(
  ((FIXED_BYTES + WORKSPACE_BYTES_MAX + RECIPIENT_BYTES_MAX + MAC_BYTES) * 4) / 3,
);
const NONCE_CHARACTERS = Math.ceil((NONCE_BYTES * 4) / 3);

const LINK_PURPOSE = "holdpoint answer link";
const NONCE_PURPOSE = "holdpoint answer form";

/**
 * The token of a link. The same link always gets the same token: it is derived when it is shown, and never stored.
 * Throws for a link that no question can have.
 */
export async function signLink(secret: string, link: Link): Promise<string> {
  const body = encodeLink(link);
  return base64url(concatenate(body, await macOf(await importMacKey(secret), LINK_PURPOSE, body)));
}

/** Whatever is not a token of this secret is forged, in every other way too: malformed, cut, too long, made by another secret. */
export async function verifyLink(secret: string, token: string, now: number): Promise<LinkCheck> {
  const bytes = token.length <= TOKEN_CHARACTERS_MAX ? fromBase64url(token) : undefined;
  if (bytes === undefined || bytes.length < FIXED_BYTES + MAC_BYTES)
    return { ok: false, why: "forged" };
  const body = bytes.subarray(0, bytes.length - MAC_BYTES);
  const genuine = await isMacOf(
    await importMacKey(secret),
    LINK_PURPOSE,
    body,
    bytes.subarray(bytes.length - MAC_BYTES),
  );
  const link = genuine ? decodeLink(body) : undefined;
  if (link === undefined) return { ok: false, why: "forged" };
  if (link.expiresAt !== undefined && link.expiresAt <= now) return { ok: false, why: "expired" };
  return { ok: true, link };
}

/** The hidden field of a form that is shown at `now`. It fits this link only, and needs no cookie. */
export async function signNonce(secret: string, token: string, now: number): Promise<string> {
  const body = new Uint8Array(1 + TIME_BYTES);
  body[0] = VERSION;
  writeTime(new DataView(body.buffer), 1, now);
  return base64url(
    concatenate(
      body,
      await macOf(await importMacKey(secret), NONCE_PURPOSE, nonceText(body, token)),
    ),
  );
}

/** True for a nonce that was signed for this token within the last NONCE_LIFETIME_MS. */
export async function verifyNonce(
  secret: string,
  token: string,
  nonce: string,
  now: number,
): Promise<boolean> {
  if (nonce.length !== NONCE_CHARACTERS || token.length > TOKEN_CHARACTERS_MAX) return false;
  const bytes = fromBase64url(nonce);
  if (bytes === undefined || bytes.length !== NONCE_BYTES || bytes[0] !== VERSION) return false;
  const body = bytes.subarray(0, 1 + TIME_BYTES);
  const genuine = await isMacOf(
    await importMacKey(secret),
    NONCE_PURPOSE,
    nonceText(body, token),
    bytes.subarray(1 + TIME_BYTES),
  );
  // An issue time ahead of `now` is another machine's clock, not a forgery: the MAC has said whose it is.
  return genuine && now - readTime(view(body), 1) <= NONCE_LIFETIME_MS;
}

function encodeLink(link: Link): Uint8Array<ArrayBuffer> {
  const id = parseId("q", link.requestId);
  if (id === undefined) throw new RangeError("a link leads to a question");
  if (!WORKSPACE_PATTERN.test(link.workspace)) throw new RangeError("a link names a workspace");
  if (link.recipient === "") throw new RangeError("a link without a recipient leaves it out");
  const workspace = utf8(link.workspace);
  const recipient = utf8(link.recipient ?? "");
  if (recipient.length > RECIPIENT_BYTES_MAX)
    throw new RangeError("the recipient's name is too long");
  const fixed = new Uint8Array(FIXED_BYTES);
  const fields = view(fixed);
  fields.setUint8(0, VERSION);
  for (let at = 0; at < KEY_BYTES; at += 1) {
    fields.setUint8(1 + at, Number.parseInt(id.key.slice(2 * at, 2 * at + 2), 16));
  }
  fields.setUint32(1 + KEY_BYTES, id.n);
  if (link.expiresAt !== undefined) writeTime(fields, 1 + KEY_BYTES + NUMBER_BYTES, link.expiresAt);
  fields.setUint8(FIXED_BYTES - 1, workspace.length);
  return concatenate(fixed, workspace, recipient);
}

/** Undefined for a layout that this version does not read. */
function decodeLink(body: Uint8Array): Link | undefined {
  const fields = view(body);
  const recipientAt = FIXED_BYTES + fields.getUint8(FIXED_BYTES - 1);
  if (fields.getUint8(0) !== VERSION || recipientAt > body.length) return undefined;
  const key = Array.from(body.subarray(1, 1 + KEY_BYTES), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
  const expiresAt = readTime(fields, 1 + KEY_BYTES + NUMBER_BYTES);
  const recipient = text(body.subarray(recipientAt));
  return {
    workspace: text(body.subarray(FIXED_BYTES, recipientAt)),
    requestId: formatId("q", key, fields.getUint32(1 + KEY_BYTES)),
    ...(recipient === "" ? {} : { recipient }),
    ...(expiresAt === 0 ? {} : { expiresAt }),
  };
}

function nonceText(body: Uint8Array, token: string): Uint8Array<ArrayBuffer> {
  return concatenate(body, utf8(token));
}

function writeTime(fields: DataView, at: number, time: number): void {
  if (!Number.isInteger(time) || time < 1 || time >= 2 ** 48)
    throw new RangeError("a time is in whole milliseconds");
  fields.setUint16(at, Math.floor(time / 2 ** 32));
  fields.setUint32(at + 2, time % 2 ** 32);
}

function readTime(fields: DataView, at: number): number {
  return fields.getUint16(at) * 2 ** 32 + fields.getUint32(at + 2);
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function text(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(bytes);
}

/** Undefined for anything that we would not have written so, that is also for a second spelling of the same bytes. */
function fromBase64url(characters: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9_-]+$/.test(characters) || characters.length % 4 === 1) return undefined;
  const bytes = Uint8Array.from(
    atob(characters.replaceAll("-", "+").replaceAll("_", "/")),
    (char) => char.charCodeAt(0),
  );
  return base64url(bytes) === characters ? bytes : undefined;
}

/** The address at which a question is answered: derived from the question each time, and never stored. */
export async function answerUrl(
  secret: string,
  origin: string,
  workspace: string,
  question: { readonly requestId: string; readonly to?: string; readonly expiresAt?: string },
): Promise<string> {
  const token = await signLink(secret, {
    workspace,
    requestId: question.requestId,
    ...(question.to !== undefined && { recipient: question.to }),
    ...(question.expiresAt !== undefined && { expiresAt: Date.parse(question.expiresAt) }),
  });
  return `${origin}/a/${token}`;
}
