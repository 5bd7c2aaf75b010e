import { expect, it } from "vitest";
import { brandSchema } from "../../src/core/brand.ts";
import { preferredLanguage } from "../../src/core/language.ts";

const DOT = "data:image/png;base64,iVBORw0KGgo=";

it("takes a name, a colour and a logo", () => {
  expect(brandSchema.parse({ name: " Acme ", colour: "#0AF", logo: DOT })).toEqual({
    name: "Acme",
    colour: "#00aaff",
    logo: DOT,
  });
  expect(brandSchema.parse({ name: "Acme" })).toEqual({ name: "Acme" });
});

it("takes a logo by https, or one that is in its URL, and no other", () => {
  const takes = (logo: string) => brandSchema.safeParse({ name: "A", logo }).success;
  for (const logo of [
    "https://cdn.example.com/logo.svg",
    "https://cdn.example.com/a;b,c/logo.png?v=2",
    "data:image/svg+xml,%3Csvg%2F%3E",
    "data:image/svg+xml;charset=utf-8;base64,PHN2Zy8+",
    DOT,
  ])
    expect([logo, takes(logo)]).toEqual([logo, true]);
  for (const logo of [
    "",
    "logo.png",
    "http://cdn.example.com/logo.svg",
    "//cdn.example.com/logo.svg",
    "javascript:alert(1)",
    "https://user:pass@cdn.example.com/logo.svg",
    "data:text/html,<script>alert(1)</script>",
    "data:image/svg+xml,<svg onload='x'>",
    'data:image/png;base64,AAAA" onerror="x',
    `data:image/png;base64,${"A".repeat(65_536)}`,
  ])
    expect([logo.slice(0, 60), takes(logo)]).toEqual([logo.slice(0, 60), false]);
});

it("refuses a colour that is no hexadecimal one, and fields that it does not know", () => {
  for (const brand of [
    { name: "A", colour: "red" },
    { name: "A", colour: "#12345" },
    { name: "A", colour: "#123456;}" },
    { name: "" },
    {},
    { name: "A", color: "#123" },
  ])
    expect(brandSchema.safeParse(brand).success).toBe(false);
});

it("finds the language that a reader likes best among ours", () => {
  for (const [header, language] of [
    [undefined, "en"],
    ["", "en"],
    ["de", "de"],
    ["de-AT,de;q=0.9,en;q=0.8", "de"],
    ["fr-FR, de;q=0.5, en;q=0.3", "de"],
    ["en;q=0.3, de;q=0.5", "de"],
    ["de;q=0, en;q=0.1", "en"],
    ["fr, *", "en"],
    ["DE-de", "de"],
    [";q=,,q=x", "en"],
  ] as const)
    expect([header, preferredLanguage(header)]).toEqual([header, language]);
});
