import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  MAIL_BYTES,
  MAIL_EXPLANATIONS_AN_HOUR,
  MAIL_LOCAL_PART_CHARACTERS,
  MAIL_TEXT_CHARACTERS,
} from "../src/core/limits.ts";
import { readConfig } from "../src/env.ts";

const root = join(import.meta.dirname, "..");
const page = await readFile(join(root, "docs/channels.md"), "utf8");
const [, section = ""] = page.split(/^## Email$/m);
const email = section.split(/^## /m)[0] ?? "";

it("gives variables for mail that are read as they stand there", () => {
  const [, block = ""] = /\[vars\]\n(.*?)```/s.exec(email) ?? [];
  const variables = Object.fromEntries(
    Array.from(block.matchAll(/^\s*([A-Z_]+) = (["'])(.*)\2$/gm), ([, name = "", , value]) => [
      name,
      value,
    ]),
  );
  expect(readConfig(variables)).toMatchObject({
    mailFrom: "Loan desk <desk@mail.example.com>",
    mailTo: "underwriters@example.com",
    mailAuthservId: "mx.cloudflare.net",
    mailAgents: { "loans@mail.example.com": { agent: "loan-desk", workspace: "acme" } },
  });
});

it("names each variable for mail that there is", async () => {
  const source = await readFile(join(root, "src/env.ts"), "utf8");
  const names = new Set(Array.from(source.matchAll(/\bMAIL_[A-Z_]+\b/g), ([name]) => name));
  names.delete("MAIL_LOCAL_PART_CHARACTERS");
  const listed = Array.from(email.matchAll(/^\| `(MAIL_[A-Z_]+)` \|/gm), ([, name]) => name);
  expect(listed.toSorted()).toEqual([...names].toSorted());
});

it("gives variables for Slack that are read as they stand there, and names each that there is", async () => {
  const [, chapter = ""] = page.split(/^## Slack$/m);
  const slack = chapter.split(/^## /m)[0] ?? "";
  const [, block = ""] = /\[vars\]\n(.*?)```/s.exec(slack) ?? [];
  const variables = Object.fromEntries(
    Array.from(block.matchAll(/^\s*([A-Z_]+) = "(.*)"$/gm), ([, name = "", value]) => [
      name,
      value,
    ]),
  );
  expect(readConfig(variables)).toMatchObject({ slackChannel: "C0123456789" });
  const source = await readFile(join(root, "src/env.ts"), "utf8");
  const names = new Set(
    Array.from(source.matchAll(/readonly (SLACK_[A-Z_]+)\?: /g), ([, name = ""]) => name),
  );
  expect(names.size).toBe(4);
  const listed = Array.from(slack.matchAll(/^\| `(SLACK_[A-Z_]+)` \|/gm), ([, name]) => name);
  expect(listed.toSorted()).toEqual([...names].toSorted());
});

it("says the limits of mail as they are", () => {
  expect(MAIL_BYTES).toBe(10 * 1024 * 1024);
  expect(MAIL_TEXT_CHARACTERS).toBe(1_048_576);
  expect(email).toContain("10 MiB, or with more than 1 048 576 characters");
  expect(email).toContain(`at most ${MAIL_LOCAL_PART_CHARACTERS} characters`);
  expect(MAIL_EXPLANATIONS_AN_HOUR).toBe(10);
  expect(email).toContain("at most ten an hour");
});
