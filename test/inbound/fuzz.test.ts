import * as fc from "fast-check";
import { expect, it } from "vitest";
import {
  githubSignature,
  slackSignature,
  standardWebhooks,
} from "../../src/inbound/webhook-signatures.ts";
import { parsedJson } from "../arbitrary-json.ts";
import { casesOf, holds } from "../replayable.ts";

it("believes no webhook that another secret signed, whatever its headers and body", async () => {
  const header = fc.string({ unit: fc.constantFrom(..."v0=1,abcdef0189 sha256="), maxLength: 90 });
  const names = [
    "webhook-id",
    "webhook-timestamp",
    "webhook-signature",
    "x-hub-signature-256",
    "x-slack-signature",
    "x-slack-request-timestamp",
    "x-github-delivery",
  ];
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const verifiers = [standardWebhooks("A"), githubSignature("A"), slackSignature("A")];
  const headers = fc.array(fc.tuple(fc.constantFrom(...names), header), { maxLength: 8 });
  await holds(
    process.env,
    Math.ceil(casesOf(process.env, 2_000) / 8),
    fc.asyncProperty(headers, fc.uint8Array({ maxLength: 50 }), async (given, body) => {
      for (const verifier of verifiers) {
        const sent = new Headers(given.map(([name, value]) => [name, value]));
        const issue = await verifier.check({ headers: sent, body, secret, now: 1_000 });
        expect(issue).toBeTypeOf("string");
        verifier.eventId(sent, parsedJson(new TextDecoder().decode(body)));
      }
    }),
  );
});
