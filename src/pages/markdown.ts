/**
 * Owns: how Markdown that a model or a person wrote becomes HTML that is safe to show: what is marked up, where links
 * may lead, and which texts would cost too much to render. Does not own: how it looks (`style.ts`).
 *
 * Two walls stand one behind the other. The renderer lets no raw HTML through; and of what it writes only the tags of
 * the table below are kept, each written anew with attributes of ours. What is not in the table is shown as text.
 */

import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";

// The renderer's time grows with the square of these. A text beyond one of them is shown as it was written: nothing is
// lost, and no page takes long. Measured with 65 536 characters each: a second or two at these bounds, 100 s without.
const LINES_MAX = 5_000;
const CONTAINER_DEPTH_MAX = 12;
const CONTAINERS_MAX = 2_000;
const DELIMITERS_MAX = 8_000;
const TABLE_CELLS_MAX = 20_000;
// Some texts of 64 KiB would become pages of 30 MiB.
const HTML_CHARACTERS_MAX = 1_000_000;

/** The lowest level at which a heading of the text may stand on the page, below the page's own h1 and h2. */
const HEADING_LEVEL_MIN = 3;

const LINK_ATTRIBUTES = 'rel="noopener noreferrer nofollow" target="_blank"';

/** What is said of parts that have no words of their own: the wording's (`wording.ts`), of each language. */
export interface MarkdownLabels {
  readonly table: string;
  readonly image: string;
  /** Above them. */
  readonly footnotes: string;
  readonly backToText: string;
}

/** HTML for the inside of a block element. Never throws: a text that can't be rendered is shown as text. */
export function renderMarkdown(text: string, labels: MarkdownLabels): string {
  if (isCostly(text)) return asWritten(text);
  let html: string;
  try {
    const toHtml = gfmHtml({ label: labels.footnotes });
    html = micromark(text, "utf8", { extensions: [gfm()], htmlExtensions: [toHtml] });
  } catch {
    return asWritten(text);
  }
  const kept = html.length > HTML_CHARACTERS_MAX ? "" : keepKnownTags(html, labels);
  return kept.trim() === "" ? asWritten(text) : kept;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

function asWritten(text: string): string {
  return `<p class="as-written" dir="auto">${escapeHtml(text)}</p>`;
}

const CONTAINER_MARKERS = /^(?:[ \t]*(?:>|[-+*](?=[ \t]|$)|[0-9]{1,9}[.)](?=[ \t]|$)))+/;
const CONTAINER_MARKER = />|[-+*]|[0-9]{1,9}[.)]/g;
const TABLE_DELIMITER_ROW = /^[\s>|:-]*\|[\s|:-]*$/;
const DELIMITERS = /[[\]*_~]/g;

function isCostly(text: string): boolean {
  const lines = text.split(/\r\n?|\n/);
  if (lines.length > LINES_MAX || count(text, DELIMITERS) > DELIMITERS_MAX) return true;
  let containers = 0;
  let columns = 0;
  for (const line of lines) {
    const depth = count(CONTAINER_MARKERS.exec(line)?.[0] ?? "", CONTAINER_MARKER);
    if (depth > CONTAINER_DEPTH_MAX) return true;
    containers += depth;
    if (TABLE_DELIMITER_ROW.test(line)) columns = Math.max(columns, line.split("|").length);
  }
  return containers > CONTAINERS_MAX || columns * lines.length > TABLE_CELLS_MAX;
}

function count(text: string, pattern: RegExp): number {
  let found = 0;
  for (const _ of text.matchAll(pattern)) found += 1;
  return found;
}

const TAG = /<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z-]+="[^"<>]*")*)\s*\/?>/g;

/** What becomes of a tag that opens; the element's name is also what closes it. */
const PLAIN_TAGS = new Set([
  "strong",
  "em",
  "del",
  "code",
  "pre",
  "ul",
  "thead",
  "tbody",
  "tr",
  "sup",
  "section",
]);
const TEXT_TAGS = new Set(["p", "li", "blockquote"]);
const VOID_TAGS = new Set(["br", "hr"]);
const HEADING = /^h([1-6])$/;

interface Rewriting {
  /** By how much headings sink, so that the text's topmost stands right below the page's own. */
  readonly headingShift: number;
  /** For each link that is open: whether it is kept. */
  readonly links: boolean[];
  readonly labels: MarkdownLabels;
}

function keepKnownTags(html: string, labels: MarkdownLabels): string {
  const levels = Array.from(html.matchAll(/<h([1-6])[ >]/g), (match) => Number(match[1]));
  const headingShift = HEADING_LEVEL_MIN - Math.min(...levels, 6);
  const state: Rewriting = { headingShift, links: [], labels };
  let kept = "";
  let at = 0;
  for (const match of html.matchAll(TAG)) {
    const [whole, slash, name = "", attributes = ""] = match;
    kept += html.slice(at, match.index).replaceAll("<", "&lt;");
    kept +=
      (slash === "/" ? closing(name, state) : opening(name, attributes, state)) ??
      escapeHtml(whole);
    at = match.index + whole.length;
  }
  return kept + html.slice(at).replaceAll("<", "&lt;");
}

/** Undefined for a tag that is not in the table. */
function opening(name: string, attributes: string, state: Rewriting): string | undefined {
  if (PLAIN_TAGS.has(name)) return `<${name}>`;
  if (name === "li") return `<li${footnoteId(attributes)} dir="auto">`;
  if (TEXT_TAGS.has(name)) return `<${name} dir="auto">`;
  if (VOID_TAGS.has(name)) return `<${name}>`;
  if (HEADING.test(name)) return `<${headingName(name, state)} dir="auto">`;
  switch (name) {
    case "ol":
      return /^[0-9]{1,9}$/.test(attribute(attributes, "start"))
        ? `<ol start="${attribute(attributes, "start")}">`
        : "<ol>";
    case "th":
    case "td":
      return `<${name}${alignment(attributes)} dir="auto">`;
    case "table":
      // The keyboard can scroll only what it can reach.
      return `<div class="scroll" role="group" aria-label="${escapeHtml(state.labels.table)}" tabindex="0"><table>`;
    case "input":
      return attributes.includes(" checked=") ? "☑" : "☐";
    case "img":
      return image(attributes, state);
    case "a":
      return openLink(attributes, state);
    default:
      return undefined;
  }
}

function closing(name: string, state: Rewriting): string | undefined {
  if (
    PLAIN_TAGS.has(name) ||
    TEXT_TAGS.has(name) ||
    name === "ol" ||
    name === "th" ||
    name === "td"
  )
    return `</${name}>`;
  if (HEADING.test(name)) return `</${headingName(name, state)}>`;
  if (name === "table") return "</table></div>";
  if (name === "a") return state.links.pop() === true ? "</a>" : "";
  return undefined;
}

function openLink(attributes: string, state: Rewriting): string {
  const href = attribute(attributes, "href");
  const footnote = FOOTNOTE_LINK.test(href);
  const isKept = footnote || LINK.test(href);
  state.links.push(isKept);
  if (!isKept) return "";
  if (!footnote) return `<a href="${href}" ${LINK_ATTRIBUTES}>`;
  const label = attributes.includes("data-footnote-backref")
    ? ` aria-label="${escapeHtml(state.labels.backToText)}"`
    : "";
  return `<a href="${href}"${footnoteId(attributes)}${label}>`;
}

/** An image is never fetched: that would tell its server who reads the question, and when. */
function image(attributes: string, state: Rewriting): string {
  const source = attribute(attributes, "src");
  const words = attribute(attributes, "alt") || escapeHtml(state.labels.image);
  return WEB_LINK.test(source) && !state.links.includes(true)
    ? `<a href="${source}" ${LINK_ATTRIBUTES}>${words}</a>`
    : words;
}

// Read from attributes as the renderer wrote them, entities and all: a scheme that is spelt with one does not match.
const WEB_LINK = /^https?:\/\/[^/]/i;
const LINK = /^(?:https?:\/\/[^/]|mailto:[^/])/i;
const FOOTNOTE_LINK = /^#user-content-fn(?:ref)?-[\w%.-]+$/;
const FOOTNOTE_ID = /^user-content-fn(?:ref)?-[\w%.-]+$/;

function footnoteId(attributes: string): string {
  const id = attribute(attributes, "id");
  return FOOTNOTE_ID.test(id) ? ` id="${id}"` : "";
}

function alignment(attributes: string): string {
  const align = attribute(attributes, "align");
  return align === "right" || align === "center" ? ` class="${align}"` : "";
}

function headingName(name: string, { headingShift }: Rewriting): string {
  return `h${Math.min(Number(name.slice(1)) + headingShift, 6)}`;
}

/** As it was written, that is still escaped. Empty where there is none. */
function attribute(attributes: string, name: string): string {
  return new RegExp(`\\s${name}="([^"]*)"`).exec(attributes)?.[1] ?? "";
}
