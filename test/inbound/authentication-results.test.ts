import { describe, expect, it } from "vitest";
import {
  parseAuthenticationResults,
  passesDmarc,
} from "../../src/inbound/authentication-results.ts";

/** As the platform writes it. */
const CLOUDFLARE = [
  "mx.cloudflare.net;",
  "dkim=pass header.d=gmail.com header.s=20251104 header.b=L6CZ3OJ0;",
  "dmarc=pass header.from=gmail.com policy.dmarc=none;",
  "spf=none (mx.cloudflare.net: no SPF records found for postmaster@mail-yw1.google.com) smtp.helo=mail-yw1.google.com;",
  "spf=pass (mx.cloudflare.net: domain of joe@gmail.com designates 2607:f8b0::112d as permitted sender) smtp.mailfrom=joe@gmail.com;",
  'arc=pass smtp.remote-ip="2607:f8b0:4864:20::112d"',
].join(" ");

function passes(value: string, domain = "lender.example"): boolean {
  return passesDmarc(value, "mx.cloudflare.net", domain);
}

describe("the results of an authentication", () => {
  it("are read in each form of the grammar", () => {
    expect(parseAuthenticationResults(CLOUDFLARE)).toMatchObject({
      authority: "mx.cloudflare.net",
      results: [
        { method: "dkim", result: "pass" },
        { method: "dmarc", result: "pass" },
        { method: "spf", result: "none" },
        { method: "spf", result: "pass" },
        { method: "arc", result: "pass" },
      ],
    });
    expect(parseAuthenticationResults("example.org 1; none")).toEqual({
      authority: "example.org",
      results: [],
    });
    expect(
      parseAuthenticationResults(
        'Example.org (a (nested) \\) comment) ; DKIM/1 = PASS (good) reason = "a;b" Header.D = "x.org" ;',
      ),
    ).toMatchObject({ authority: "example.org", results: [{ method: "dkim", result: "pass" }] });
  });

  it.each([
    "",
    ";",
    "; dmarc=pass",
    "mx.cloudflare.net dmarc=pass",
    "mx.cloudflare.net; dmarc",
    "mx.cloudflare.net; dmarc=",
    "mx.cloudflare.net; =pass",
    "mx.cloudflare.net; dmarc==pass",
    "mx.cloudflare.net; dmarc=pass header.from",
    "mx.cloudflare.net; dmarc=pass header.from=a header.from=lender.example",
    'mx.cloudflare.net; "dmarc"=pass',
    'mx.cloudflare.net; dmarc="pass',
    "mx.cloudflare.net; dmarc=pass (",
    "mx.cloudflare.net; dmarc=pass )",
    "mx.cloudflare.net;; dmarc=pass",
    "mx.cloudflare.net; dmarc=pass\u0000",
    "mx.cloudflare.net; dmarc=påss",
    'mx.cloudflare.net; spf=pass smtp.mailfrom="a"@evil.example; dmarc=pass',
  ])("are none at all where the header is %j", (value) => {
    expect(passes(value)).toBe(false);
  });
});

describe("DMARC", () => {
  it("is passed where the server that is believed says so, of the domain that the mail is from", () => {
    expect(passes(CLOUDFLARE, "GMAIL.com")).toBe(true);
    expect(passes("MX.Cloudflare.net; dmarc=pass")).toBe(true);
    expect(passes("mx.cloudflare.net 1; dmarc=pass (p=none) header.from=lender.example;")).toBe(
      true,
    );
  });

  it.each([
    CLOUDFLARE,
    "mx.evil.example; dmarc=pass",
    "mx.cloudflare.net.evil.example; dmarc=pass",
    "mx.cloudflare.net; none",
    "mx.cloudflare.net; dmarc=fail",
    "mx.cloudflare.net; dmarc=none",
    "mx.cloudflare.net; dmarc=bestguesspass",
    "mx.cloudflare.net; dkim=pass header.d=lender.example; spf=pass",
    "mx.cloudflare.net; dmarc=fail header.from=lender.example; dmarc=pass header.from=lender.example",
    "mx.cloudflare.net; dmarc=pass header.from=evil.example",
    "mx.cloudflare.net; spf=fail (dmarc=pass)",
    'mx.cloudflare.net; spf=fail reason="; dmarc=pass"',
    "mx.cloudflare.net; x-dmarc=pass",
  ])("is not passed by %j", (value) => {
    expect(passes(value)).toBe(false);
  });

  it("is read in a moment, however the header is made", () => {
    for (const part of ["(", "((", '"', "a=b ", ";", "\\", "a", "a=b;", "(\\"]) {
      const value = `mx.cloudflare.net; ${part.repeat(100_000 / part.length)}`;
      expect(passes(value), part).toBe(false);
    }
  }, 60_000);
});
