/** Owns: signatures by HMAC-SHA-256, in hexadecimal digits, as GitHub and Slack make them. */

export async function hmacHex(secret: string, body: string | Uint8Array): Promise<string> {
  const encoder = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, [
    "sign",
  ]);
  const bytes = typeof body === "string" ? encoder.encode(body) : body;
  const digest = new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
