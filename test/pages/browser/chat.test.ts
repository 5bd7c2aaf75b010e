/** The example's page in a real browser: `useChat` of @ai-sdk/react, as it is, on the loan desk. */

import { join } from "node:path";
import { inspect } from "node:util";
import { readdir, readFile } from "node:fs/promises";
import type { UIMessage } from "ai";
import type { Browser, Page } from "playwright-core";
import { chromium } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Question } from "../../../src/core/question.ts";
import { type DevServer, startDevServer, temporaryFolder } from "../../process/dev-server.ts";
import { type ChatPage, serveChatPage } from "./chat-page.ts";
import { FLAGS } from "./chromium.ts";
import { CHROMIUM, HAS_CHROMIUM } from "./installed.ts";

const KEY = { authorization: "Bearer dev-key" };
const ASKS = "Pre-approve APP-1008: income 5000, debt 2350";
const ASKED = "APP-1008 has a 47% debt-to-income ratio. Approve?";

describe.skipIf(!HAS_CHROMIUM)("a chat in chromium", { timeout: 60_000 }, () => {
  const stack = new AsyncDisposableStack();
  let holdpoint: DevServer;
  let served: ChatPage;
  let folder: string;
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];
  const complain = (error: unknown) => void complaints.push(inspect(error));
  /** What the browser itself sent and was sent, but for the streams' own text. */
  const seen: string[] = [];

  beforeAll(async () => {
    folder = stack.use(await temporaryFolder()).path;
    holdpoint = stack.use(await startDevServer({ folder }));
    served = stack.use(await serveChatPage(holdpoint.url, join(folder, "page"), complain));
    browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
    stack.defer(() => browser.close());
  }, 120_000);
  afterEach(async () => {
    await page.context().close();
    expect(complaints.splice(0)).toEqual([]);
  });
  afterAll(() => stack.disposeAsync());

  async function open(): Promise<string> {
    page = await (await browser.newContext()).newPage();
    page.on("console", (message) => void complaints.push(message.text()));
    page.on("pageerror", (error) => void complaints.push(error.message));
    page.on("request", (request) => void seen.push(JSON.stringify(request.headers())));
    await page.goto(served.origin);
    await page.getByRole("heading", { name: "Loan desk" }).waitFor();
    return new URL(page.url()).searchParams.get("chat") ?? "";
  }

  async function say(text: string): Promise<void> {
    await page.getByLabel("Message").fill(text);
    await page.getByRole("button", { name: "Send" }).click();
  }

  async function api(path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${holdpoint.url}/v1${path}`, {
      headers: { ...KEY, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
    });
    expect(response.status).toBe(200);
    return response.json();
  }

  async function questionOf(chat: string): Promise<Question> {
    const { questions } = (await api(`/sessions/${chat}`)) as { questions: Question[] };
    const [question] = questions;
    if (question === undefined) throw new Error("nothing is asked");
    return question;
  }

  const question = () => page.getByRole("group", { name: ASKED });
  const says = (text: string) => page.getByText(text).waitFor();

  it("asks, takes a click for the answer, and goes on in the same message", async () => {
    const chat = await open();
    await say(ASKS);
    await question().getByRole("button", { name: "Deny" }).waitFor();
    await question().getByRole("button", { name: "Approve" }).click();
    await says("APP-1008 is pre-approved: visitor approved its 47% debt-to-income ratio.");
    expect(await question().getByRole("paragraph").last().textContent()).toBe("Approve (visitor)");
    expect(await question().getByRole("button").count()).toBe(0);
    expect(await page.getByRole("article").count()).toBe(2);
    const { turns } = (await api(`/sessions/${chat}`)) as { turns: { status: string }[] };
    expect(turns).toMatchObject([{ status: "completed" }]);
  });

  it("goes on when the question that it shows is answered elsewhere, and looks the same when it is loaded again", async () => {
    const chat = await open();
    await say(ASKS);
    await question().getByRole("button", { name: "Approve" }).waitFor();
    const { requestId } = await questionOf(chat);
    const answer = {
      answer: { option: "deny", text: "Too much." },
      answeredBy: "dana@lender.example",
    };
    await api(`/questions/${requestId}/answer`, answer);
    await says("Deny: Too much. (dana@lender.example)");
    await page
      .getByText(/APP-1008 is declined|not pre-approved|denied/)
      .first()
      .waitFor();
    const log = page.getByRole("log");
    const shown = await log.innerText();
    await page.reload();
    await says("Deny: Too much. (dana@lender.example)");
    expect(await log.innerText()).toBe(shown);
  });

  it("still shows, and takes, a question that waited while the page was away", async () => {
    await open();
    await say(ASKS);
    await question().getByRole("button", { name: "Approve" }).waitFor();
    await page.reload();
    await question().getByLabel("In your own words").fill("Only with a co-signer.");
    await question().getByRole("button", { name: "Answer" }).click();
    await says("Only with a co-signer. (visitor)");
    await question().getByRole("button").first().waitFor({ state: "detached" });
  });

  it("keeps what was typed, and takes it, while a message is told anew after the connection broke", async () => {
    const chat = await open();
    await say(ASKS);
    const typed = question().getByLabel("In your own words");
    await typed.fill("Only with a co-signer.");
    const { messages } = (await api(`/chat/${chat}`)) as { messages: UIMessage[] };
    const { id: messageId, metadata: messageMetadata } = messages.at(-1) ?? {};
    const begun = `data: ${JSON.stringify({ type: "start", messageId, messageMetadata })}\n\n`;
    let streams = 0;
    // The message is begun anew, and breaks off again; the next time nothing comes at all.
    await page.route("**/stream?*", async (route) => {
      streams += 1;
      if (streams === 1) await route.fulfill({ contentType: "text/event-stream", body: begun });
    });
    const nextTime = page.waitForRequest(() => streams === 1);
    served.breakOff();
    await nextTime;
    await question().getByRole("button", { name: "Answer" }).click();
    await says("Only with a co-signer. (visitor)");
    // The browser's own word of what broke, and no other.
    expect(complaints.splice(0)).toEqual([expect.stringContaining("net::ERR_")]);
  });

  it("takes no answer to a message that does not know yet how far it tells", async () => {
    await open();
    const told = Promise.withResolvers<undefined>();
    await page.route(
      "**/api/chat",
      async (route) => {
        const response = await route.fetch();
        const [asked = ""] = (await response.text()).split(/data: .*"status":"parked"/);
        await route.fulfill({ response, body: asked });
      },
      { times: 1 },
    );
    await page.route("**/stream?*", async (route) => {
      await told.promise;
      await route.continue();
    });
    await say(ASKS);
    const approve = question().getByRole("button", { name: "Approve" });
    await approve.waitFor();
    expect(await approve.isDisabled()).toBe(true);
    told.resolve(undefined);
    await approve.click();
    await says("APP-1008 is pre-approved: visitor approved its 47% debt-to-income ratio.");
  });

  it("asks before a call, and runs it once it is approved", async () => {
    await open();
    await say(
      "Pre-approve APP-1007: income 5000, debt 1500. Send an email to kofi@applicants.example.",
    );
    await page.getByText("send_email: may it run?").waitFor();
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByText("send_email: done").waitFor();
  });

  it("never gets the key", async () => {
    const files = await readdir(join(folder, "page"), { recursive: true, withFileTypes: true });
    const texts = await Promise.all(
      files
        .filter((file) => file.isFile())
        .map((file) => readFile(join(file.parentPath, file.name), "utf8")),
    );
    await open();
    expect(texts.length).toBeGreaterThan(2);
    expect(seen.length).toBeGreaterThan(3);
    expect([...texts, ...seen].filter((text) => text.includes("dev-key"))).toEqual([]);
  });
});
