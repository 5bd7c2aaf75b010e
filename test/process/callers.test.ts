import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { afterAll, describe, expect, it } from "vitest";
import { createClient, type Question } from "../../src/client.ts";
import type { OpenApiDocument } from "../../src/openapi/document.ts";
import { FLAGS } from "../pages/browser/chromium.ts";
import { CHROMIUM, HAS_CHROMIUM } from "../pages/browser/installed.ts";
import { startDevServer, temporaryFolder } from "./dev-server.ts";
import { until } from "./until.ts";

const REPOSITORY = join(import.meta.dirname, "../..");
const cleanUp = new AsyncDisposableStack();
afterAll(() => cleanUp.disposeAsync());
const folder = cleanUp.use(await temporaryFolder());
const server = cleanUp.use(
  await startDevServer({ folder: folder.path, variables: { PLAYGROUND: "1" } }),
);
const client = createClient({ url: server.url, key: "dev-key" });

describe("what is served beside the Worker", () => {
  it("is the document of the API, and leaves the Worker its own paths", async () => {
    const response = await fetch(`${server.url}/openapi.json`);
    expect(response.headers.get("content-type")).toBe("application/json");
    const { openapi, info, paths } = (await response.json()) as OpenApiDocument;
    const { version } = JSON.parse(await readFile(join(REPOSITORY, "package.json"), "utf8")) as {
      version: string;
    };
    expect({ openapi, info }).toMatchObject({ openapi: "3.1.1", info: { version } });
    expect(Object.keys(paths)).toContain("/v1/turns/{turn}");
    for (const path of ["/v1/docs", "/docs/nothing", "/_headers", "/"])
      expect((await fetch(server.url + path)).headers.get("content-type"), path).toBe(
        "application/problem+json",
      );
  });

  it("is a reference that may load nothing from outside", async () => {
    const page = await fetch(`${server.url}/docs`);
    expect(page.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; script-src 'self';/,
    );
    expect(await page.text()).not.toMatch(/(?:src|href)="(?!\/)/);
  });

  it.skipIf(!HAS_CHROMIUM)(
    "sends a request from the reference in a browser, and nothing elsewhere",
    async () => {
      await client.questions.ask({ question: "Seen?", sessionId: "reference" });
      const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
      try {
        const page = await browser.newPage();
        const outside: string[] = [];
        const complaints: string[] = [];
        page.on("request", (request) => {
          const { origin, protocol } = new URL(request.url());
          if (origin !== server.url && protocol !== "data:") outside.push(request.url());
        });
        page.on("console", (message) => void complaints.push(message.text()));
        page.on("pageerror", (error) => void complaints.push(error.message));
        await page.goto(`${server.url}/docs`);
        await page.getByRole("button", { name: "Authorize" }).first().click();
        await page.locator(".auth-container input").fill("dev-key");
        await page.locator(".auth-container button", { hasText: "Authorize" }).click();
        await page.getByRole("button", { name: "Close" }).click();
        await page.getByText("List questions, by default those that wait").click();
        await page.getByRole("button", { name: "Execute" }).click();
        const answer = page.locator(".live-responses-table");
        await answer.getByText("200").first().waitFor();
        await answer.getByText("Seen?").first().waitFor();
        expect(complaints).toEqual([]);
        expect(outside).toEqual([]);
      } finally {
        await browser.close();
      }
    },
  );
});

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function start(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(join(REPOSITORY, "bin/holdpoint.js"), args, {
    env: { ...process.env, HOLDPOINT_URL: server.url, NODE_OPTIONS: "", ...env },
  });
  const read = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (read.out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (read.err += text));
  const closed = once(child, "close");
  const ended = async (): Promise<Ended> => {
    await closed;
    return { code: child.exitCode, ...read };
  };
  return { child, read, ended };
}

function holdpoint(...args: string[]): Promise<Ended> {
  return start(args).ended();
}

const HOSTILE = "Pay 5?\u001b[2J\u001b]0;root\u0007\u202e1 yaP\u202c\r\nYes";

/** What does something to a terminal, line feeds aside. */
const ACTIVE = /(?!\n)[\p{Cc}\u202a-\u202e]/u;

describe("the command line as a process", () => {
  it("shows what a model wrote without doing anything to the terminal", async () => {
    const question = {
      question: HOSTILE,
      context: HOSTILE,
      options: [
        { id: "a", label: "A\u009bm" },
        { id: "b", label: "B" },
      ],
    };
    const script = [
      { calls: [{ toolName: "ask_person", input: question }] },
      { calls: [{ toolName: "await_tasks", input: { taskIds: ["$task:1"] } }] },
      { text: HOSTILE },
    ];
    const turn = await client.turns.start(
      { agent: "playground", input: HOSTILE, extraBody: { script: script as never } },
      { session: "terminal-hostile", waitSeconds: 20 },
    );
    const id = turn.waitingFor?.[0]?.requestId ?? "";
    // Colours are escapes too: with them every other one must be gone.
    const coloured = start(["inbox", "show", id], { FORCE_COLOR: "1" });
    const shown = await coloured.ended();
    expect(shown.out).toContain("\u001b[1m");
    expect(shown.out).toContain(String.raw`Pay 5?\u{1b}[2J\u{1b}]0;root\u{7}\u{202e}1 yaP\u{202c}`);
    for (const behind of shown.out.split("\u001b").slice(1)) expect(behind).toMatch(/^\[\d+m/);
    for (const args of [
      ["inbox"],
      ["inbox", "list", "--kind", "person"],
      ["inbox", "--json"],
      ["inbox", "show", id, "--json"],
      ["turns"],
      ["turns", "show", turn.id],
    ]) {
      const { code, out } = await holdpoint(...args);
      expect(code).toBe(0);
      expect(out, args.join(" ")).toContain("Pay 5?");
      expect(out, args.join(" ")).not.toMatch(ACTIVE);
    }
    const answered = await holdpoint("inbox", "answer", id, "-o", "a", "--by", "dana", "--json");
    expect(JSON.parse(answered.out)).toMatchObject({ status: "answered", answeredBy: "dana" });
    const tailed = await holdpoint("tail", turn.id);
    expect(tailed.code).toBe(0);
    expect(tailed.out).toMatch(/turn\.completed Pay 5\?/);
    expect(tailed.out).not.toMatch(ACTIVE);
  });

  it("lists live, a line for each question that comes and goes, and ends with the interrupt", async () => {
    const live = start(["inbox", "--session", "terminal-live", "--watch"]);
    const { requestId } = await client.questions.ask({
      question: "Now?",
      sessionId: "terminal-live",
    });
    await until("it is listed", () => live.read.out.includes("Now?") || undefined);
    await client.questions.decline(requestId, { answeredBy: "dana" });
    await until("it is gone", () => live.read.out.includes(`${requestId}  gone`) || undefined);
    live.child.kill("SIGINT");
    expect(await live.ended()).toMatchObject({ code: 0, err: "" });
  });

  it("asks for the answer, reads it, and says what the Worker refuses", async () => {
    const asked = await client.questions.ask({
      question: "How many?",
      answerSchema: { type: "integer", maximum: 5 },
    });
    const typing = async (text: string): Promise<Ended> => {
      const answering = start(["inbox", "answer", asked.requestId, "--json"]);
      answering.child.stdin.end(text);
      return answering.ended();
    };
    const refused = await typing("9\n");
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.err).toMatch(/invalid_answer: .*\n {2}value must be at most 5/);
    expect(await typing("")).toMatchObject({ code: 1 });
    const accepted = JSON.parse((await typing("3\n")).out) as Question;
    expect(accepted).toMatchObject({ status: "answered", answer: { value: 3 } });
    const late = await holdpoint("inbox", "decline", asked.requestId, "--reason", "No.");
    expect(late).toMatchObject({
      code: 1,
      err: expect.stringContaining("already_answered") as string,
    });
  });

  it("makes a key whose hash the Worker would know, and says where no Worker is", async () => {
    const { out } = await holdpoint("key", "new", "--json", "--workspace", "acme");
    const { key, entry } = JSON.parse(out) as { key: string; entry: { sha256: string } };
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key));
    expect(Buffer.from(digest).toString("hex")).toBe(entry.sha256);
    const nowhere = await start(["turns"], { HOLDPOINT_URL: "http://127.0.0.1:9" }).ended();
    expect(nowhere).toMatchObject({
      code: 1,
      err: expect.stringContaining("HOLDPOINT_URL") as string,
    });
    const wrong = await start(["turns"], { HOLDPOINT_KEY: "wrong" }).ended();
    expect(wrong).toMatchObject({
      code: 1,
      err: expect.stringContaining("unauthenticated") as string,
    });
  });
});
