import { expect, it } from "vitest";
import { canonicalJson } from "../../src/core/json.ts";
import { idempotencyOf } from "../../src/inbound/idempotency.ts";

it("makes of a request the digests that sessions have stored since the first version", async () => {
  const said = canonicalJson({ input: "Go.", agent: "loans" });
  expect(await idempotencyOf("key-1", "POST /v1/turns", "once", said)).toEqual({
    key: "aa9ed373e0869c81480ef0f16abd1b72be6158da78ac50fe6df86ee2c47879a8",
    digest: "bd4c4f8b82299e0415702f2f4661a3b479fd66c5b06cf432961bede7296a11f3",
  });
});
