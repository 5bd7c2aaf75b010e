/**
 * Owns: the colours of the pages, light and dark, and what a brand's colour becomes among them. Whatever that colour is,
 * text in it or on it has a contrast of at least 4.5:1, as WCAG 2.2 wants it.
 */

import type { Brand } from "../core/brand.ts";

type Rgb = readonly [number, number, number];

/** What a brand's colour may stand on. */
const SURFACES = {
  light: { sheet: "#ffffff", paper: "#eff1ee", code: "#f2f4f2" },
  dark: { sheet: "#151c19", paper: "#0d1210", code: "#0f1513" },
} as const;

const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];
const CONTRAST_MIN = 4.5;
const OWN_COLOUR = "#0b5f49";
/** How much of the colour is in the tint of what is chosen. */
const WASH = { light: 0.09, dark: 0.14 } as const;
const STEPS = 50;

/** Variables that stand over those of the style sheet; empty where there is no colour. */
export function themeOf({ colour }: Brand): string {
  if (colour === undefined) return "";
  return `:root { ${variables(colour, "light")} } @media (prefers-color-scheme: dark) { :root { ${variables(colour, "dark")} } }`;
}

/** A surface of the brand's colour, or of ours, and text on it. */
export function fillOf({ colour = OWN_COLOUR }: Brand): {
  readonly fill: string;
  readonly onFill: string;
} {
  return { fill: colour, onFill: hexOf(textOn(rgbOf(colour))) };
}

function textOn(fill: Rgb): Rgb {
  return contrast(WHITE, fill) >= CONTRAST_MIN ? WHITE : BLACK;
}

function variables(colour: string, scheme: "light" | "dark"): string {
  const brand = rgbOf(colour);
  const { sheet, paper, code } = SURFACES[scheme];
  const wash = rgbOf(hexOf(mixed(rgbOf(sheet), brand, WASH[scheme])));
  const away = scheme === "light" ? BLACK : WHITE;
  const accent = readableOn([rgbOf(sheet), rgbOf(paper), rgbOf(code), wash], brand, scheme);
  const onFill = textOn(brand);
  return Object.entries({
    accent,
    "accent-hover": mixed(accent, away, 0.25),
    wash,
    fill: brand,
    // Away from the colour of the text on it.
    "fill-hover": mixed(brand, onFill === WHITE ? BLACK : WHITE, 0.16),
    "on-fill": onFill,
  })
    .map(([name, value]) => `--${name}: ${hexOf(value)};`)
    .join(" ");
}

/** The colour itself, or as little darker or lighter as makes it readable on each of the surfaces. */
function readableOn(surfaces: readonly Rgb[], colour: Rgb, scheme: "light" | "dark"): Rgb {
  const [hue, saturation, lightness] = hslOf(colour);
  const end = scheme === "light" ? 0 : 1;
  for (let step = 0; step <= STEPS; step += 1) {
    const moved = lightness + (end - lightness) * (step / STEPS);
    // Rounded before it is judged, since that is what is written.
    const candidate = rgbOf(hexOf(step === 0 ? colour : rgbOfHsl([hue, saturation, moved])));
    if (surfaces.every((surface) => contrast(candidate, surface) >= CONTRAST_MIN)) return candidate;
  }
  return scheme === "light" ? BLACK : WHITE;
}

/** Hue in turns, saturation and lightness from 0 to 1: lighter so, a colour stays the colour that it was. */
function hslOf(colour: Rgb): Rgb {
  const [r, g, b] = colour.map((channel) => channel / 255) as unknown as Rgb;
  const [max, min] = [Math.max(r, g, b), Math.min(r, g, b)];
  const [chroma, lightness] = [max - min, (max + min) / 2];
  if (chroma === 0) return [0, 0, lightness];
  const sixths =
    max === r ? (g - b) / chroma + 6 : max === g ? (b - r) / chroma + 2 : (r - g) / chroma + 4;
  return [(sixths / 6) % 1, chroma / (1 - Math.abs(2 * lightness - 1)), lightness];
}

function rgbOfHsl([hue, saturation, lightness]: Rgb): Rgb {
  const reach = saturation * Math.min(lightness, 1 - lightness);
  const channel = (offset: number) => {
    const at = (offset + hue * 12) % 12;
    return 255 * (lightness - reach * Math.max(-1, Math.min(at - 3, 9 - at, 1)));
  };
  return [channel(0), channel(8), channel(4)];
}

function rgbOf(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

function hexOf(colour: Rgb): string {
  return `#${colour.map((channel) => Math.round(channel).toString(16).padStart(2, "0")).join("")}`;
}

function mixed([r, g, b]: Rgb, [otherR, otherG, otherB]: Rgb, share: number): Rgb {
  const mix = (one: number, other: number) => one + (other - one) * share;
  return [mix(r, otherR), mix(g, otherG), mix(b, otherB)];
}

function contrast(one: Rgb, other: Rgb): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: Rgb): number {
  const [r, g, b] = colour.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * (r ?? 0) + 0.7152 * (g ?? 0) + 0.0722 * (b ?? 0);
}
