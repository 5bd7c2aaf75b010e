import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import page from "../../docs/channels.md?raw";
import { arrive } from "./post-office.ts";
import * as sample from "./samples/email.ts";
import source from "./samples/email.ts?raw";

const LOANS = "loans@mail.example.com";

it("prints in docs/channels.md the sample that runs here", () => {
  const printed = source.replace("../../../src/holdpoint.ts", "holdpoint");
  expect(page).toContain(`\`\`\`ts\n${printed}\`\`\``);
});

it("takes mail by that sample", async () => {
  const { Session, default: worker } = sample;
  expect(Session.name).toBe("Session");
  const refused = { rejected: "There is no such address.", replies: [] };
  expect(await arrive("agent-first", "other@mail.example.com", undefined, worker.email)).toEqual(
    refused,
  );
  expect(await arrive("agent-empty", LOANS, undefined, worker.email)).toMatchObject({
    replies: [{ from: LOANS }],
  });
  expect(env).toHaveProperty("EMAIL");
});
