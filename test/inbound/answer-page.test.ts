import { describe, expect, it } from "vitest";
import type { Question } from "../../src/core/question.ts";
import { signLink } from "../../src/outbound/sign.ts";
import type { Look } from "../../src/pages/look.ts";
import { CHOICE, FORM, MULTIPLE } from "../pages/questions.ts";
import { createDesk, fillIn, NOW, send } from "../pages/desk.ts";

const DOT = "data:image/png;base64,iVBORw0KGgo=";

describe("GET", () => {
  it("shows a waiting question, and changes nothing however often it is fetched", async () => {
    const desk = createDesk([CHOICE]);
    const path = await desk.linkTo(CHOICE);
    for (const url of [path, `${path}?option=approve`, `${path}?action=answer&option=approve`]) {
      const response = await desk.app.request(url);
      expect(response.status).toBe(200);
      expect(await response.text()).toContain("Approve it?");
    }
    expect(new Set(desk.calls)).toEqual(new Set(["readQuestion"]));
    expect(desk.question(CHOICE.requestId)).toEqual(CHOICE);
  });

  it("chooses the option that a link names, for the person to send", async () => {
    const desk = createDesk([CHOICE, MULTIPLE, FORM]);
    const single = await desk.app.request(`${await desk.linkTo(CHOICE)}?option=deny`);
    expect(await single.text()).toMatch(/value="deny" id="option-1" checked=""/);
    const path = await desk.linkTo(MULTIPLE);
    const several = await desk.app.request(`${path}?option=payslip&option=contract`);
    expect((await several.text()).match(/checked=""/g)).toHaveLength(2);
    const first = await desk.app.request(
      `${await desk.linkTo(CHOICE)}?option=deny&option=approve&text=x&reason=x`,
    );
    const html = await first.text();
    expect(html.match(/checked=""/g)).toHaveLength(1);
    expect(html).not.toContain("x</textarea>");
    const form = await desk.app.request(`${await desk.linkTo(FORM)}?q0=1&q1=0`);
    expect((await form.text()).match(/checked=""/g)).toHaveLength(2);
    expect(new Set(desk.calls)).toEqual(new Set(["readQuestion"]));
  });

  it("answers HEAD as GET, without a body", async () => {
    const desk = createDesk([CHOICE]);
    const response = await desk.app.request(await desk.linkTo(CHOICE), { method: "HEAD" });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(await response.text()).toBe("");
  });

  it("shows the very same page for a forged, a malformed and an unknown link, and asks nobody about the first two", async () => {
    const desk = createDesk([CHOICE]);
    const forged = await signLink("another secret", {
      workspace: "acme",
      requestId: CHOICE.requestId,
    });
    const known = await desk.linkTo(CHOICE);
    const unasked = [
      `/a/${forged}`,
      `${known}A`,
      "/a/x",
      "/a/%00",
      "/a/%ff",
      `/a/${"A".repeat(5_000)}`,
      "/a/",
      "/a",
      "/a/x/y",
      `${known}/`,
    ];
    const pages = new Set<string>();
    for (const path of unasked) {
      const response = await desk.app.request(path);
      expect([path, response.status]).toEqual([path, 404]);
      pages.add(await response.text());
    }
    expect(desk.calls).toEqual([]);
    const unknown = await desk.app.request(
      await desk.linkTo({ ...CHOICE, requestId: "q_0123456789abcdef01234567000000ff" }),
    );
    expect(unknown.status).toBe(404);
    pages.add(await unknown.text());
    expect(pages.size).toBe(1);
  });

  it("finds nothing in another workspace", async () => {
    const desk = createDesk([CHOICE]);
    expect((await desk.app.request(await desk.linkTo(CHOICE, { workspace: "other" }))).status).toBe(
      404,
    );
  });

  it("finds nothing by a link of somebody to whom the question is not addressed now", async () => {
    const addressed: Question = { ...CHOICE, to: "ada" };
    const desk = createDesk([addressed]);
    const links = [
      await desk.linkTo(addressed),
      await desk.linkTo(addressed, { recipient: "bob" }),
      await desk.linkTo(CHOICE),
    ];
    const statuses = async () =>
      Promise.all(links.map(async (path) => (await desk.app.request(path)).status));
    expect(await statuses()).toEqual([200, 404, 404]);
    desk.put({ ...CHOICE, to: "bob" });
    expect(await statuses()).toEqual([404, 200, 404]);
    desk.put(CHOICE);
    expect(await statuses()).toEqual([404, 404, 200]);
  });

  it("is gone where the link has expired, and asks nobody", async () => {
    const desk = createDesk([CHOICE]);
    const path = await desk.linkTo(CHOICE, { expiresAt: NOW + 1_000 });
    expect((await desk.app.request(path)).status).toBe(200);
    desk.advance(1_000);
    const calls = desk.calls.length;
    const response = await desk.app.request(path);
    expect(response.status).toBe(410);
    expect(await response.text()).toContain("This link has expired");
    expect(desk.calls).toHaveLength(calls);
  });

  it("says how a settled question ended", async () => {
    const desk = createDesk([{ ...CHOICE, status: "cancelled" }]);
    const response = await desk.app.request(await desk.linkTo(CHOICE));
    expect(response.status).toBe(200);
    expect(await response.text()).toContain("was cancelled");
  });

  it("is not configured without a secret", async () => {
    for (const secret of [undefined, ""]) {
      const desk = createDesk([CHOICE], { linkSecret: () => secret });
      const response = await desk.app.request(await desk.linkTo(CHOICE));
      expect(response.status).toBe(503);
      expect(await response.text()).toContain("LINK_SECRET");
      expect(desk.calls).toEqual([]);
    }
  });
});

describe("every page", () => {
  it("has the headers that keep its address, its content and its form to itself", async () => {
    const desk = createDesk([CHOICE]);
    const path = await desk.linkTo(CHOICE);
    const responses = [
      await desk.app.request(path),
      await desk.app.request("/a/x"),
      await send(desk, path, {}),
      await fillIn(desk, path, {}),
      await fillIn(desk, path, { option: "approve" }),
      await desk.app.request(path, { method: "PUT" }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([200, 404, 403, 422, 200, 405]);
    for (const { headers } of responses) {
      expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("x-robots-tag")).toContain("noindex");
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy.startsWith("default-src 'none';")).toBe(true);
      for (const rule of ["form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"])
        expect(policy).toContain(rule);
      expect(policy).not.toContain("unsafe");
    }
  });

  it("speaks the language that the author chose, and else the reader's", async () => {
    const german = { "accept-language": "de-DE,de;q=0.9" };
    const languageOf = async (look: Partial<Look>, headers: Record<string, string>) => {
      const desk = createDesk([CHOICE], { look });
      const response = await desk.app.request(await desk.linkTo(CHOICE), { headers });
      const html = await response.text();
      expect(html).toContain(`<html lang="${response.headers.get("content-language")}">`);
      return response.headers.get("content-language");
    };
    expect(await languageOf({}, {})).toBe("en");
    expect(await languageOf({}, german)).toBe("de");
    expect(await languageOf({ language: "en" }, german)).toBe("en");
    expect(await languageOf({ language: "de" }, {})).toBe("de");
  });

  it("has the brand's name and logo, and allows that logo's address and no other", async () => {
    const logo = "https://cdn.example.com/a;b,c/logo.svg?v=2";
    const brand = { name: "Acme & Söhne", colour: "#e4002b", logo };
    const desk = createDesk([CHOICE], { look: { brand } });
    const response = await desk.app.request(await desk.linkTo(CHOICE));
    const html = await response.text();
    expect(html).toContain(`<img src="${logo}" alt="Acme &amp; Söhne"/>`);
    expect(html).toContain("· Acme &amp; Söhne</title>");
    expect(html).not.toContain("Holdpoint");
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("; img-src data: https://cdn.example.com/a%3Bb%2Cc/logo.svg; ");
    const style = /<style>([^]*?)<\/style>/.exec(html)?.[1] ?? "";
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(style));
    expect(policy).toContain(
      `style-src 'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`,
    );
    const own = createDesk([CHOICE], { look: { brand: { name: "Acme", logo: DOT } } });
    const inUrl = await own.app.request("/a/x");
    expect(inUrl.headers.get("content-security-policy")).toContain("; img-src data:; ");
    expect(await inUrl.text()).toContain(`<img src="${DOT}" alt="Acme"/>`);
  });

  it("says which methods its address takes", async () => {
    const desk = createDesk([CHOICE]);
    const response = await desk.app.request(await desk.linkTo(CHOICE), { method: "DELETE" });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD, POST"]);
    expect(desk.calls).toEqual([]);
  });

  it("is shown for trouble too, without a word of the trouble", async () => {
    const reported: unknown[] = [];
    for (const [kind, status] of [
      ["unavailable", 503],
      ["failed", 500],
      ["notConfigured", 503],
    ] as const) {
      const desk = createDesk([CHOICE], {
        readQuestion: () => Promise.reject(new Error("inner detail")),
        report: (thrown) => {
          reported.push(thrown);
          return kind;
        },
      });
      const response = await desk.app.request(await desk.linkTo(CHOICE));
      expect(response.status).toBe(status);
      expect(await response.text()).not.toContain("inner detail");
    }
    expect(reported).toHaveLength(3);
  });
});
