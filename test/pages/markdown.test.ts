import { describe, expect, it } from "vitest";
import { english } from "../../src/pages/english.tsx";
import { renderMarkdown } from "../../src/pages/markdown.ts";

const CHARACTERS = 65_536;

function rendered(text: string): string {
  return renderMarkdown(text, english.markdown);
}

/** Every tag of ours that can carry an attribute which does something. */
function attributesOf(html: string): readonly string[] {
  return Array.from(
    html.matchAll(/<[a-z0-9]+((?:\s[a-z-]+="[^"]*")*)>/g),
    ([, attributes = ""]) => attributes,
  );
}

describe("Markdown", () => {
  it("becomes headings below the page's own, lists, tables, quotes, code and emphasis", () => {
    const html = rendered(
      "# Top\n\n### Below\n\nA **b** *c* ~~d~~ `e`\n\n- f\n\n3. g\n\n> h\n\n| i | j |\n|--|--:|\n| k | l |\n\n```js\nm\n```",
    );
    for (const part of [
      '<h3 dir="auto">Top</h3>',
      '<h5 dir="auto">Below</h5>',
      "<strong>b</strong> <em>c</em> <del>d</del> <code>e</code>",
      '<ul>\n<li dir="auto">f</li>',
      '<ol start="3">',
      '<blockquote dir="auto">',
      '<th class="right" dir="auto">j</th>',
      "<pre><code>m\n</code></pre>",
    ])
      expect(html).toContain(part);
  });

  it("puts the topmost heading at level three, whatever it was", () => {
    expect(rendered("##### Deep")).toBe('<h3 dir="auto">Deep</h3>');
  });

  it("shows raw HTML as text", () => {
    for (const hostile of [
      "<script>alert(1)</script>",
      "a <img src=x onerror=alert(1)> b",
      "<div onclick='x'>\n\ntext",
      "<style>*{display:none}</style>",
      "</section></main><form action=//evil>",
      "<a href='https://x' onmouseover=alert(1)>x</a>",
      "<!-- --><svg/onload=alert(1)>",
      "<p>tag of the table, written by hand</p>",
    ]) {
      const html = rendered(hostile);
      expect(html.replaceAll(/<\/?(?:p|div)(?: [^<>]*)?>/g, "")).not.toContain("<");
      expect(html).toContain("&lt;");
    }
  });

  it("links to the web and to mail only", () => {
    const html = rendered(
      "[a](https://x.example/?a=1&b=%22) [b](http://y.example) [c](mailto:z@example.com) https://w.example",
    );
    expect(Array.from(html.matchAll(/href="([^"]*)"/g), (match) => match[1])).toEqual([
      "https://x.example/?a=1&amp;b=%22",
      "http://y.example",
      "mailto:z@example.com",
      "https://w.example",
    ]);
    expect(html.match(/rel="noopener noreferrer nofollow" target="_blank"/g)).toHaveLength(4);
  });

  it("keeps the words of any other link, and nothing of where it led", () => {
    for (const target of [
      "javascript:alert(1)",
      "JaVaScRiPt:alert(1)",
      "java&#10;script:alert(1)",
      "&#106;avascript:alert(1)",
      "data:text/html,x",
      "vbscript:x",
      "//evil.example",
      "/v1/turns",
      "?option=approve",
      "#reply",
      "https:evil.example",
      "irc://x.example",
      "",
    ])
      expect(rendered(`[the words](${target})`)).toBe('<p dir="auto">the words</p>');
    expect(rendered("[the words][r]\n\n[r]: javascript:alert(1)")).toContain(
      '<p dir="auto">the words</p>',
    );
    expect(rendered("<javascript:alert(1)>")).not.toContain("href");
  });

  it("fetches no image: it shows the image's words, as a link where it is on the web", () => {
    expect(rendered("![a chart](https://x.example/c.png 'title')")).toBe(
      '<p dir="auto"><a href="https://x.example/c.png" rel="noopener noreferrer nofollow" target="_blank">a chart</a></p>',
    );
    expect(rendered("![](https://x.example/c.png)")).toContain(">Image</a>");
    expect(rendered("![a chart](data:image/png;base64,AA)")).toBe('<p dir="auto">a chart</p>');
    expect(
      rendered("[![a chart](https://x.example/c.png)](https://y.example)").match(/<a /g),
    ).toHaveLength(1);
    expect(rendered('![" onerror="x](https://x.example/c.png)')).not.toContain('onerror="');
  });

  it("closes just the links that it opened", () => {
    const html = rendered(
      "[a](javascript:x) [b](https://b.example) [c](/c) [d](https://d.example)",
    );
    expect(html.match(/<a /g)).toHaveLength(2);
    expect(html.match(/<\/a>/g)).toHaveLength(2);
  });

  it("writes no attribute but its own", () => {
    const html = rendered(
      '[a](https://x.example "t\\" onclick=\\"x") ```` ` ````\n\n```js" onclick="x\ny\n```\n\n[^a]: n\n\nfoot[^a]\n\n- [ ] t\n\n|a|\n|:-:|\n|b|',
    );
    const known = /^(?: (?:dir|href|rel|target|class|role|aria-label|tabindex|id|start)="[^"]*")*$/;
    for (const attributes of attributesOf(html)) expect(attributes).toMatch(known);
    expect(html).not.toMatch(/<[^>]*onclick/);
  });

  it("links a footnote and its mark to each other", () => {
    const html = rendered("A claim.[^1]\n\n[^1]: Its source.");
    expect(html).toContain('<a href="#user-content-fn-1" id="user-content-fnref-1">1</a>');
    expect(html).toContain('<li id="user-content-fn-1" dir="auto">');
    expect(html).toContain('<a href="#user-content-fnref-1" aria-label="Back to the text">↩</a>');
  });

  it("says what the renderer adds in the words that it is given, as text", () => {
    const labels = {
      table: "<Tabelle>",
      image: "<Bild>",
      footnotes: "<Fußnoten>",
      backToText: "<zurück>",
    };
    const html = renderMarkdown("![](https://x.example/c.png)[^1]\n\n|a|\n|-|\n\n[^1]: b", labels);
    for (const words of Object.values(labels))
      expect(html).toContain(words.replace("<", "&lt;").replace(">", "&gt;"));
    expect(html).not.toMatch(/Table|Image|Footnotes|Back/);
  });

  it("shows a task as a box and not as a control", () => {
    const html = rendered("- [ ] open\n- [x] done");
    expect(html).not.toContain("<input");
    expect(html).toContain("☐ open");
    expect(html).toContain("☑ done");
  });

  it("lets the keyboard reach a table that may be wider than the screen", () => {
    expect(rendered("|a|\n|-|\n|b|")).toContain(
      '<div class="scroll" role="group" aria-label="Table" tabindex="0"><table>',
    );
  });

  it("shows a text that renders to nothing as it was written", () => {
    expect(rendered("[a]: https://x.example")).toBe(
      '<p class="as-written" dir="auto">[a]: https://x.example</p>',
    );
  });

  it("shows a text that would cost too much as it was written, whole", { timeout: 30_000 }, () => {
    const costly = [
      ">".repeat(CHARACTERS),
      `${">".repeat(8)}a\n\n`.repeat(6_000),
      "1. ".repeat(20_000),
      "- + ".repeat(16_000),
      `> a\n${"b\n".repeat(30_000)}`,
      "a**b*c".repeat(10_000),
      "[".repeat(CHARACTERS),
      `${"|a".repeat(1_000)}\n${"|-".repeat(1_000)}\n${`${"|a".repeat(10)}\n`.repeat(2_900)}`,
      `${"[^a]".repeat(5_000)}\n\n[^a]: ${"x".repeat(10)}`,
    ];
    for (const text of costly) {
      const html = rendered(text.slice(0, CHARACTERS));
      expect(html.startsWith('<p class="as-written" dir="auto">')).toBe(true);
      expect(html.replaceAll("&gt;", ">")).toContain(text.slice(0, CHARACTERS));
    }
  });

  it("renders an ordinary text of the greatest length", { timeout: 30_000 }, () => {
    const section =
      "## A heading\n\nSome **words** with [a link](https://x.example), `code_with_underscores` and more of them.\n\n- one\n- two\n  - three\n\n";
    const html = rendered(section.repeat(CHARACTERS / section.length));
    expect(html).not.toContain("as-written");
    expect(html).toContain("<strong>words</strong>");
  });

  it("keeps text that reorders others inside its own block", () => {
    expect(rendered("one \u202Eowt\n\nthree")).toBe(
      '<p dir="auto">one \u202Eowt</p>\n<p dir="auto">three</p>',
    );
  });
});
