/**
 * Owns: reading a form that a browser posted, bounded before it is parsed. Does not own: what its fields mean.
 */

import { readBounded } from "./bounded-body.ts";
import { FORM_CONTROLS } from "../core/limits.ts";
import { NO_FIELDS, type FormFields } from "../pages/form-fields.ts";

export type PostedForm =
  | { readonly ok: true; readonly fields: FormFields }
  | { readonly ok: false; readonly why: "tooLarge" | "wrongType" | "malformed" };

/** More fields than any form of ours has. */
const FIELDS_MAX = FORM_CONTROLS + 20;
const AMPERSAND = 0x26;

export async function readPostedForm(request: Request): Promise<PostedForm> {
  const bytes = await readBounded(request);
  if (bytes === undefined) return { ok: false, why: "tooLarge" };
  if (bytes.length === 0) return { ok: true, fields: NO_FIELDS };
  const type = request.headers.get("content-type") ?? "";
  switch (type.split(";")[0]?.trim().toLowerCase()) {
    case "application/x-www-form-urlencoded":
      return readUrlEncoded(bytes);
    case "multipart/form-data":
      return readMultipart(bytes, type);
    default:
      return { ok: false, why: "wrongType" };
  }
}

function readUrlEncoded(bytes: Uint8Array): PostedForm {
  // Two MiB of ampersands would be a million fields.
  if (bytes.reduce((count, byte) => count + (byte === AMPERSAND ? 1 : 0), 0) >= FIELDS_MAX)
    return { ok: false, why: "malformed" };
  return { ok: true, fields: new URLSearchParams(new TextDecoder().decode(bytes)) };
}

async function readMultipart(bytes: Uint8Array<ArrayBuffer>, type: string): Promise<PostedForm> {
  try {
    return {
      ok: true,
      fields: await new Response(bytes, { headers: { "content-type": type } }).formData(),
    };
  } catch {
    return { ok: false, why: "malformed" };
  }
}
