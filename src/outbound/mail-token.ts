/**
 * Owns: the tokens in the addresses to which a question's mails are answered: `{local}+{token}@{domain}`. What they say,
 * how they are signed and checked. Does not own: who may answer, nor what a mail says.
 *
 * A token is base32 in lower case, without padding, of
 *
 *   session key 12 bytes · question's number 4 · HMAC-SHA-256, its first 10
 *
 * which are 42 characters: a mail server lets 64 stand before the @, and may change their case. The MAC covers workspace
 * and recipient too. Neither is in the token, so both have to be known to whoever checks it.
 */

import { concatenate, utf8 } from "../core/bytes.ts";
import { formatId, parseId } from "../core/ids.ts";
import { importMacKey, macOf } from "./mac.ts";

/** For whom a token may have been made. */
export interface MailTokenAudience {
  readonly workspace: string;
  /** Absent where the question is addressed to nobody. */
  readonly recipient?: string;
}

export interface MailTokenLink extends MailTokenAudience {
  /** `q_…` */
  readonly requestId: string;
}

export const MAIL_TOKEN_CHARACTERS = 42;

const KEY_BYTES = 12;
const BODY_BYTES = KEY_BYTES + 4;
const MAC_BYTES = 10;
const PURPOSE = "holdpoint mail reply";
const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

/** Throws for what can't be a question's id. */
export async function signMailToken(secret: string, link: MailTokenLink): Promise<string> {
  const id = parseId("q", link.requestId);
  if (id === undefined) throw new RangeError("a mail token leads to a question");
  const body = new Uint8Array(BODY_BYTES);
  for (let at = 0; at < KEY_BYTES; at += 1)
    body[at] = Number.parseInt(id.key.slice(2 * at, 2 * at + 2), 16);
  new DataView(body.buffer).setUint32(KEY_BYTES, id.n);
  return base32(concatenate(body, await shortMac(await importMacKey(secret), body, link)));
}

/**
 * The question of a token, and the one of `audiences` for which it was made. Undefined for every other text. No session
 * is asked, so a forged token costs nobody more than these MACs.
 */
export async function verifyMailToken(
  secret: string,
  token: string,
  audiences: Iterable<MailTokenAudience>,
): Promise<MailTokenLink | undefined> {
  const bytes = fromBase32(token.toLowerCase());
  if (bytes === undefined) return undefined;
  const body = bytes.subarray(0, BODY_BYTES);
  const key = await importMacKey(secret);
  let link: MailTokenLink | undefined;
  for (const audience of audiences)
    if (areEqual(await shortMac(key, body, audience), bytes.subarray(BODY_BYTES)))
      link ??= { ...audience, requestId: requestIdOf(body) };
  return link;
}

async function shortMac(
  key: CryptoKey,
  body: Uint8Array,
  { workspace, recipient = "" }: MailTokenAudience,
): Promise<Uint8Array> {
  // No workspace holds a NUL, so no two audiences are one text.
  const covered = concatenate(body, utf8(`${workspace}\0${recipient}`));
  return (await macOf(key, PURPOSE, covered)).subarray(0, MAC_BYTES);
}

function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  let difference = one.length ^ other.length;
  for (const [at, byte] of one.entries()) difference |= byte ^ (other[at] ?? 0);
  return difference === 0;
}

function requestIdOf(body: Uint8Array): string {
  const key = Array.from(body.subarray(0, KEY_BYTES), (byte) => byte.toString(16).padStart(2, "0"));
  const number = new DataView(body.buffer, body.byteOffset).getUint32(KEY_BYTES);
  return formatId("q", key.join(""), number);
}

function base32(bytes: Uint8Array): string {
  let characters = "";
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) characters += ALPHABET.charAt((held >> (bits - 5)) & 31);
    held &= (1 << bits) - 1;
  }
  return characters + ALPHABET.charAt((held << (5 - bits)) & 31);
}

/** Undefined for anything that `base32` would not have written so. */
function fromBase32(characters: string): Uint8Array | undefined {
  if (characters.length !== MAIL_TOKEN_CHARACTERS) return undefined;
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  for (const character of characters) {
    const value = ALPHABET.indexOf(character);
    if (value === -1) return undefined;
    held = (held << 5) | value;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((held >> bits) & 255);
    held &= (1 << bits) - 1;
  }
  // The bits that fill up the last character say nothing, and are 0 in a token of ours.
  return held === 0 ? Uint8Array.from(bytes) : undefined;
}
