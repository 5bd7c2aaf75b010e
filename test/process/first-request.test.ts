import { expect, it } from "vitest";
import type { TurnView } from "../../src/core/turn-view.ts";
import { clientOf } from "./client.ts";
import { startDevServer, temporaryFolder } from "./dev-server.ts";
import { readSnippets, runCommand } from "./documents.ts";

it("parks the README's first request, takes the answer through the page behind its link, and completes", async () => {
  await using folder = await temporaryFolder();
  await using server = await startDevServer({ folder: folder.path });
  const [first] = await readSnippets("README.md");
  expect(first?.command).toContain("curl localhost:8787/v1/turns ");
  const printed = await runCommand(first?.command ?? "", { url: server.url, folder: folder.path });
  const parked = JSON.parse(printed) as TurnView;
  expect(parked.status).toBe("parked");
  const link = parked.waitingFor?.[0]?.answerUrl ?? "";
  expect(link.startsWith(`${server.url}/a/`)).toBe(true);

  const page = await fetch(link);
  expect(page.status).toBe(200);
  expect(page.headers.get("content-type")).toMatch(/^text\/html\b/);
  const html = await page.text();
  expect(html).toContain("APP-1008 has a 47% debt-to-income ratio. Approve?");
  const [form = "", ...otherForms] = html.match(/<form\b.*?<\/form>/gs) ?? [];
  expect(otherForms).toEqual([]);
  expect(form).toMatch(/^<form method="post"/);
  const choices = inputs(form).filter(({ type, name }) => type === "radio" && name === "option");
  expect(choices.map(({ value }) => value)).toEqual(["approve", "deny"]);
  const hidden = inputs(form).filter(({ type }) => type === "hidden");
  expect(hidden.map(({ name }) => name)).toEqual(["nonce"]);

  const fields = { nonce: hidden[0]?.["value"] ?? "", option: "approve" };
  const answered = await fetch(link, { method: "POST", body: new URLSearchParams(fields) });
  expect(answered.status).toBe(200);
  expect(await answered.text()).toMatch(/\banswered\b/i);
  expect(await clientOf(server.url).settled(parked.id)).toMatchObject({
    status: "completed",
    text: expect.stringMatching(/^APP-1008 is pre-approved: /) as string,
  });
});

/** The attributes of each `<input>`. */
function inputs(form: string): readonly Readonly<Record<string, string>>[] {
  return Array.from(form.matchAll(/<input\b[^>]*>/g), ([tag]) =>
    Object.fromEntries(
      Array.from(tag.matchAll(/([a-z-]+)="([^"]*)"/g), ([, name = "", value = ""]) => [
        name,
        value,
      ]),
    ),
  );
}
