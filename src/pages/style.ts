/**
 * Owns: how the pages look, in light and dark, from phone to desktop; and the Content-Security-Policy that allows this
 * one style sheet, a brand's logo where it has one, and nothing else. There is no script and no font to load.
 * Does not own: what becomes of a brand's colour (`theme.ts`).
 */

import type { Brand } from "../core/brand.ts";
import { base64, utf8 } from "../core/bytes.ts";
import { themeOf } from "./theme.ts";

/** Every pair of colours that carries text has a contrast of at least 4.5:1, every edge of a control at least 3:1. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #eff1ee; --sheet: #fff; --ink: #15201b; --soft: #4f5d56; --line: #d9dfdb; --edge: #75827b;
  --accent: #0b5f49; --accent-hover: #084936; --fill: #0b5f49; --fill-hover: #084936; --on-fill: #fff; --wash: #e6f2ec; --code: #f2f4f2;
  --wait: #7a4d00; --wait-wash: #fcf0d6; --wrong: #a1221b; --wrong-wash: #fdeeec; --shadow: 0 1px 2px #15201b14, 0 12px 32px -12px #15201b24;
  --serif: ui-serif, "Iowan Old Style", "Palatino Linotype", Palatino, Charter, "Bitstream Charter", Georgia, Cambria, "Liberation Serif", serif;
  --sans: ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, "Liberation Sans", sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "Liberation Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #0d1210; --sheet: #151c19; --ink: #e9efeb; --soft: #a4b2ab; --line: #28332e; --edge: #7b8b83;
    --accent: #74d9b4; --accent-hover: #94e6c8; --fill: #74d9b4; --fill-hover: #94e6c8; --on-fill: #05251a; --wash: #162b24; --code: #0f1513;
    --wait: #f3c266; --wait-wash: #2e2611; --wrong: #ffa299; --wrong-wash: #331a18; --shadow: 0 0 0 1px #ffffff0a, 0 16px 40px -16px #000;
  }
}
@media (prefers-color-scheme: dark) {
  /* A logo is drawn for light paper. */
  .brand.logo { padding: 0.3rem 0.6rem; border-radius: 0.5rem; background: #fff; }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-padding: 1.5rem; }
body {
  margin: 0; min-height: 100vh; min-height: 100dvh; display: flex; flex-direction: column;
  background: var(--paper); color: var(--ink);
  font: 400 1.0625rem/1.6 var(--sans); overflow-wrap: anywhere;
}
[dir="auto"], bdi { unicode-bidi: isolate; }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: 0.18em; }
a:hover { color: var(--accent-hover); text-decoration-thickness: 2px; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px; }

.skip { position: absolute; inset-inline-start: 1rem; top: -6rem; z-index: 1; padding: 0.6rem 1rem; border-radius: 0.5rem; background: var(--sheet); }
.skip:focus { top: 1rem; }
.bar { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0.5rem 1rem; width: 100%; max-width: 76rem; margin: 0 auto; padding: 1.1rem clamp(1.1rem, 4vw, 2.5rem); }
.brand { display: inline-flex; align-items: center; gap: 0.6rem; min-width: 0; font-weight: 650; letter-spacing: -0.01em; overflow-wrap: break-word; }
.brand bdi { min-width: 0; }
.brand svg { flex: none; width: 1.5rem; height: 1.5rem; color: var(--accent); }
.brand.logo img { display: block; max-width: min(14rem, 50vw); height: 2rem; object-fit: contain; object-position: left; }
.state { display: inline-flex; align-items: center; gap: 0.5rem; padding: 0.2rem 0.8rem 0.2rem 0.65rem; border-radius: 99rem; background: var(--sheet); color: var(--soft); border: 1px solid var(--line); font-size: 0.9rem; font-weight: 600; white-space: nowrap; }
.state::before { content: ""; width: 0.55rem; height: 0.55rem; border-radius: 50%; background: currentColor; }
.state.open { background: var(--wait-wash); color: var(--wait); border-color: transparent; }
.state.done { background: var(--wash); color: var(--accent); border-color: transparent; }

main { flex: 1; width: 100%; max-width: 47rem; margin: 0 auto; padding: clamp(0.75rem, 3vw, 2rem) clamp(1.1rem, 4vw, 2.5rem) 3rem; }
.asked { margin-bottom: 2rem; }
.who { margin: 0 0 0.6rem; color: var(--soft); font-size: 1rem; }
.who strong { color: var(--ink); font-weight: 650; }
h1 { margin: 0; font: 600 clamp(1.75rem, 1.3rem + 2.2vw, 2.6rem)/1.18 var(--serif); letter-spacing: -0.012em; white-space: pre-wrap; text-wrap: pretty; }
h1.long { font-size: clamp(1.35rem, 1.15rem + 1vw, 1.75rem); line-height: 1.32; }
h1.text { font: 400 1.125rem/1.6 var(--sans); letter-spacing: 0; }
.when { display: flex; flex-wrap: wrap; gap: 0 1.25rem; margin: 0.9rem 0 0; color: var(--soft); font-size: 0.95rem; }
h2 { margin: 0 0 1rem; font: 650 1.15rem/1.35 var(--sans); letter-spacing: -0.005em; }
.jump { margin: 0 0 1rem; }

.sheet { background: var(--sheet); border-radius: 1rem; box-shadow: var(--shadow); padding: clamp(1.2rem, 4vw, 2rem); }
.why { margin-bottom: 2rem; padding-inline-start: 1.25rem; border-inline-start: 3px solid var(--line); }
.why h2 { color: var(--soft); font-size: 0.95rem; margin-bottom: 0.6rem; }
.prose > :first-child { margin-top: 0; }
.prose > :last-child { margin-bottom: 0; }
.prose p, .prose ul, .prose ol, .prose blockquote, .prose pre, .prose .scroll { margin: 0 0 0.9rem; }
.prose li { margin: 0.2rem 0; }
.prose ul, .prose ol { padding-inline-start: 1.4rem; }
.prose h3, .prose h4, .prose h5, .prose h6 { margin: 1.6rem 0 0.5rem; font: 650 1.1rem/1.35 var(--sans); }
.prose h4, .prose h5, .prose h6 { font-size: 1rem; }
.prose blockquote { padding-inline-start: 1rem; border-inline-start: 3px solid var(--edge); color: var(--soft); margin-inline: 0; }
.prose hr { border: 0; border-top: 1px solid var(--line); margin: 1.5rem 0; }
.prose a[target]::after { content: " ↗" / " (opens in a new tab)"; font-size: 0.8em; }
:lang(de) .prose a[target]::after { content: " ↗" / " (öffnet einen neuen Tab)"; }
.prose code { font: 0.92em var(--mono); padding: 0.1em 0.35em; border-radius: 0.3em; }
.prose pre code { padding: 0; background: none; font-size: 1em; }
.prose pre { background: var(--sheet); }
.prose :not(pre) > code { background: var(--sheet); }
.prose .scroll { overflow-x: auto; overflow-wrap: normal; }
.prose section { border-top: 1px solid var(--line); margin-top: 1.5rem; font-size: 0.92rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 0.4rem 0.9rem 0.4rem 0; text-align: start; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 650; }
th:not(:last-child), td:not(:last-child) { padding-inline-end: 1.6rem; }
.right { text-align: end; }
.center { text-align: center; }
.as-written, .words { white-space: pre-wrap; }
pre { padding: 0.9rem 1.1rem; border-radius: 0.6rem; background: var(--code); font: 0.92rem/1.65 var(--mono); white-space: pre-wrap; overflow: auto; max-height: 34rem; }
pre.json { margin: 0; }
.why pre.json { background: var(--sheet); box-shadow: var(--shadow); }
.json .lines { display: inline-block; vertical-align: top; max-width: 100%; }
.json .name { color: var(--accent); }
.json .mark { color: var(--soft); }

form > * + * { margin-top: 1.75rem; }
form > input + * { margin-top: 0; }
fieldset { margin: 0; padding: 0; border: 0; min-width: 0; }
fieldset.question + fieldset.question { padding-top: 1.75rem; border-top: 1px solid var(--line); }
legend, .label { display: block; padding: 0; margin: 0 0 0.35rem; font-weight: 650; }
legend { float: left; width: 100%; margin-bottom: 0.75rem; }
legend + * { clear: both; }
legend .hint { display: block; margin: 0.15rem 0 0; font-weight: 400; }
legend .text { display: block; white-space: pre-wrap; font-size: 1.1rem; line-height: 1.4; }
.tag { display: inline-block; margin-bottom: 0.4rem; padding: 0.05rem 0.6rem; border-radius: 99rem; background: var(--wash); color: var(--accent); font-size: 0.85rem; font-weight: 600; }
.hint { margin: 0 0 0.5rem; color: var(--soft); font-size: 0.95rem; }
.choices { display: grid; gap: 0.6rem; }
.choices.inline { grid-template-columns: repeat(auto-fit, minmax(min(8rem, 100%), 1fr)); }
.choice { display: grid; grid-template-columns: auto 1fr; gap: 0 0.85rem; padding: 0.85rem 1rem; border: 1px solid var(--edge); border-radius: 0.7rem; cursor: pointer; transition: background-color 0.12s, border-color 0.12s; }
.choice:hover { background: var(--wash); }
.choice:has(:checked) { background: var(--wash); border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); }
.choice:has(:focus-visible) { outline: 3px solid var(--accent); outline-offset: 2px; }
.choice input { width: 1.25rem; height: 1.25rem; margin: 0.2rem 0 0; accent-color: var(--accent); }
.choice input:focus-visible { outline: none; }
.choice .name { font-weight: 600; }
.choice .note { grid-column: 2; color: var(--soft); font-size: 0.97rem; white-space: pre-wrap; }
.other { margin-top: 0.9rem; }
textarea, .field input, select { display: block; width: 100%; min-height: 3.1rem; padding: 0.7rem 0.9rem; border: 1px solid var(--edge); border-radius: 0.7rem; background: var(--sheet); color: inherit; font: inherit; }
textarea { resize: vertical; field-sizing: content; max-height: 32rem; }
.field input[type="number"], .field input[type^="date"] { max-width: 16rem; font-variant-numeric: tabular-nums; }
select { appearance: none; padding-inline-end: 2.6rem; cursor: pointer; background-image: linear-gradient(45deg, transparent 50%, currentColor 50%), linear-gradient(135deg, currentColor 50%, transparent 50%); background-position: right 1.25rem top 55%, right 0.9rem top 55%; background-size: 0.36rem 0.36rem; background-repeat: no-repeat; }
[dir="rtl"] select { background-position: left 0.9rem top 55%, left 1.25rem top 55%; }
option { background: var(--sheet); color: var(--ink); }
textarea:focus-visible, .field input:focus-visible, select:focus-visible { outline: 3px solid var(--accent); outline-offset: 0; border-color: transparent; border-radius: 0.7rem; }
.optional { color: var(--soft); font-weight: 400; }
.fields > * + * { margin-top: 1.75rem; }
.fields > legend + * { margin-top: 0; }
.fields > legend { margin-bottom: 1.25rem; font-size: 1.15rem; }
.fields:focus { outline: none; }
.fields.inner { padding-inline-start: 1.25rem; border-inline-start: 3px solid var(--line); }
.fields.inner > legend { font-size: 1.0625rem; }
.fields > fieldset.question + fieldset.question { padding-top: 0; border-top: 0; }
.fields .hint .text { white-space: pre-wrap; }
summary { width: fit-content; padding: 0.2rem 0; color: var(--accent); font-weight: 600; cursor: pointer; text-decoration: underline; text-decoration-thickness: 1px; text-underline-offset: 0.18em; }
summary:hover { color: var(--accent-hover); }
details.shape { margin-top: 0.5rem; }
details.shape summary { font-size: 0.95rem; font-weight: 400; }
details.shape pre { margin-top: 0.5rem; max-height: 18rem; }
details.changes { margin: 0 0 1.5rem; }
details.changes[open] > summary { margin-bottom: 1rem; }
textarea.code { font: 0.95rem/1.6 var(--mono); min-height: 7rem; }
textarea.tall { min-height: 8rem; }
button { min-height: 3rem; padding: 0.6rem 1.5rem; border: 1px solid transparent; border-radius: 0.7rem; font: 650 1.0625rem/1.3 var(--sans); cursor: pointer; transition: background-color 0.12s; }
button.main { background: var(--fill); color: var(--on-fill); border-color: var(--accent); }
button.main:hover { background: var(--fill-hover); }
button.second { background: transparent; color: var(--ink); border-color: var(--edge); }
button.second:hover { background: var(--code); border-color: var(--ink); }
button.against { color: var(--wrong); border-color: var(--wrong); background: transparent; }
button.against:hover { background: var(--wrong-wash); }
.aside { padding-top: 1.5rem; border-top: 1px solid var(--line); }
.aside h2 { margin-bottom: 0.2rem; }
.aside .hint { margin-bottom: 1rem; }
.aside .label { font-weight: 500; }
.aside button { margin-top: 0.9rem; }
.decide .hint { margin-bottom: 1rem; }
.decide h2 { margin-bottom: 0.25rem; }
.you { margin: 0.75rem 0 0; color: var(--soft); font-size: 0.95rem; }

.issue { margin: 0 0 0.6rem; color: var(--wrong); font-weight: 600; }
.issue p { margin: 0; }
.issue p::before { content: "▲ " / ""; font-size: 0.75em; }
.bad .choice, .bad .field textarea, .field [aria-invalid="true"] { border-color: var(--wrong); }
.notice { margin: 0 0 1.75rem; padding: 1rem 1.2rem; border: 1px solid var(--accent); border-radius: 0.8rem; background: var(--wash); }
.notice.wrong { background: var(--wrong-wash); border-color: var(--wrong); }
.notice h2 { margin: 0; font-size: 1.0625rem; }
.notice p { margin: 0.25rem 0 0; }
.notice ul { margin: 0.4rem 0 0; padding-inline-start: 1.2rem; }
.notice.wrong a { color: var(--wrong); }
.notice:focus-visible { outline-width: 2px; outline-offset: 3px; border-radius: 0.8rem; }
.notice.wrong:focus-visible { outline-color: var(--wrong); }

.ending { margin-bottom: 2rem; }
.ending h2 { font: 600 1.4rem/1.3 var(--serif); margin-bottom: 0.4rem; }
.ending .how { margin: 0; color: var(--soft); }
.ending .how bdi { color: var(--ink); font-weight: 600; }
.given { margin: 1.25rem 0 0; padding: 0; list-style: none; }
.given > * { margin: 0 0 0.6rem; }
.given .picked { display: flex; gap: 0.6rem; font-size: 1.1rem; font-weight: 600; }
.given .picked::before { content: "✓" / ""; color: var(--accent); }
.given .words { padding-inline-start: 1rem; border-inline-start: 3px solid var(--accent); }
.given dt { margin-top: 1.2rem; color: var(--soft); font-size: 0.97rem; white-space: pre-wrap; }
.given dd { margin-inline-start: 0; }

.dead-end { margin-top: clamp(0rem, 8vh, 5rem); }
.dead-end h1 { font-size: clamp(1.6rem, 1.3rem + 1.4vw, 2.1rem); }
.dead-end p { margin: 0.9rem 0 0; color: var(--soft); }

footer { width: 100%; max-width: 76rem; margin: 0 auto; padding: 1.5rem clamp(1.1rem, 4vw, 2.5rem) 2rem; color: var(--soft); font-size: 0.9rem; }
footer code { font-family: var(--mono); font-size: 0.92em; }

@media (min-width: 64rem) {
  main.wide { max-width: 76rem; display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 27rem); grid-template-rows: auto auto 1fr; gap: 0 3.5rem; }
  main.wide > .full { grid-column: 1 / -1; }
  main.wide > .asked, main.wide > .why { grid-column: 1; align-self: start; }
  main.wide > .reply { grid-column: 2; grid-row: var(--reply-row, 1) / span 4; align-self: start; }
  main.wide > .full ~ .reply { --reply-row: 2; }
  .wide .jump { display: none; }
}
@media (forced-colors: active) {
  .state::before { background: CanvasText; }
  .choice:has(:checked) { outline: 2px solid Highlight; }
}
@media (prefers-reduced-motion: reduce) { * { transition: none !important; } }
@media print { .reply form, .skip, .jump { display: none; } body { background: none; } }
`;

/** The whole style sheet of a brand's pages. */
export function styleOf(brand: Brand): string {
  return STYLE + themeOf(brand);
}

export function iconUrl({ colour = "#0b5f49" }: Brand): string {
  const icon =
    `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24' fill='none' stroke='${colour}' stroke-width='2.5'>` +
    "<circle cx='12' cy='12' r='9.5'/><path d='M9.5 8v8M14.5 8v8' stroke-linecap='round'/></svg>";
  return `data:image/svg+xml,${encodeURIComponent(icon)}`;
}

/** The values are kept and not the promises: a promise belongs to the request that began it. */
const policies = new WeakMap<Brand, string>();

/** The header `Content-Security-Policy` of every page. `img-src data:` is the icon's; a logo is fetched from its address alone. */
export async function pagePolicy(brand: Brand): Promise<string> {
  const known = policies.get(brand);
  if (known !== undefined) return known;
  const hash = base64(new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(styleOf(brand)))));
  const images = ["data:", ...logoSource(brand)].join(" ");
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; img-src ${images}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;
  policies.set(brand, policy);
  return policy;
}

function logoSource({ logo }: Brand): readonly string[] {
  if (logo === undefined || logo.startsWith("data:")) return [];
  const { origin, pathname } = new URL(logo);
  return [`${origin}${pathname.replaceAll(";", "%3B").replaceAll(",", "%2C")}`];
}
