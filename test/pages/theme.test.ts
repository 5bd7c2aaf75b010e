import { describe, expect, it } from "vitest";
import { STYLE } from "../../src/pages/style.ts";
import { themeOf } from "../../src/pages/theme.ts";

const COLOURS = [
  "#000000",
  "#ffffff",
  "#ffe600",
  "#0a1a3c",
  "#e4002b",
  "#777777",
  "#00ff00",
  "#ff00ff",
  "#0b5f49",
  "#fefefe",
];

type Scheme = "light" | "dark";

/** The variables of a style sheet's first `:root`, or of its first one for the dark. */
function variablesOf(css: string, scheme: Scheme): ReadonlyMap<string, string> {
  const [light = "", dark = ""] = css.split("@media (prefers-color-scheme: dark)");
  const block = /:root \{([^}]*)\}/.exec(scheme === "light" ? light : dark)?.[1] ?? "";
  return new Map(
    Array.from(block.matchAll(/--([a-z-]+): (#[0-9a-f]{3,6});/g), ([, name = "", value = ""]) => [
      name,
      value.length === 4 ? `#${Array.from(value.slice(1), (d) => d + d).join("")}` : value,
    ]),
  );
}

/** A variable as it is for a brand of this colour. */
function variable(colour: string, scheme: Scheme, name: string): string {
  const own = variablesOf(themeOf({ name: "Acme", colour }), scheme);
  return own.get(name) ?? variablesOf(STYLE, scheme).get(name) ?? "";
}

/** After WCAG 2.2, written a second time: the page's own arithmetic is what is judged. */
function contrast(one: string, other: string): number {
  const luminance = (colour: string) => {
    const channels = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255);
    const linear = channels.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * (linear[0] ?? 0) + 0.7152 * (linear[1] ?? 0) + 0.0722 * (linear[2] ?? 0);
  };
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

describe("a brand's colour", () => {
  for (const scheme of ["light", "dark"] as const)
    it(`is readable as text, and under text, whatever it is, in ${scheme}`, () => {
      for (const colour of COLOURS) {
        const of = (name: string) => variable(colour, scheme, name);
        for (const surface of ["sheet", "paper", "code", "wash"]) {
          expect(
            contrast(of("accent"), of(surface)),
            `${colour} on ${surface}`,
          ).toBeGreaterThanOrEqual(4.5);
          expect(contrast(of("accent-hover"), of(surface))).toBeGreaterThanOrEqual(4.5);
        }
        for (const text of ["ink", "soft"])
          expect(contrast(of(text), of("wash")), `${text} on ${colour}`).toBeGreaterThanOrEqual(
            4.5,
          );
        expect(contrast(of("on-fill"), of("fill"))).toBeGreaterThanOrEqual(4.5);
        expect(contrast(of("on-fill"), of("fill-hover"))).toBeGreaterThanOrEqual(4.5);
        expect(of("fill")).toBe(colour);
      }
    });

  it("is kept where it is readable as it is", () => {
    expect(variable("#e4002b", "light", "fill")).toBe("#e4002b");
    expect(variable("#0a1a3c", "light", "accent")).toBe("#0a1a3c");
  });

  it("stays the colour that it is where it is made lighter", () => {
    const accent = variable("#0a1a3c", "dark", "accent");
    const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) =>
      Number.parseInt(accent.slice(at, at + 2), 16),
    );
    expect(b - r).toBeGreaterThan(80);
    expect(g).toBeGreaterThan(r);
  });

  it("changes nothing where there is none", () => {
    expect(themeOf({ name: "Acme" })).toBe("");
  });
});
