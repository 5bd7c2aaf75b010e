import { expect, it } from "vitest";
import { signMailToken } from "../../src/outbound/mail-token.ts";
import { clientOf } from "./client.ts";
import { type DevServer, startDevServer, temporaryFolder } from "./dev-server.ts";
import { until } from "./until.ts";

const DANA = "dana@lender.example";
/** What `npm run dev` brings. */
const LINK_SECRET = "for development on this machine only";

interface Delivered {
  readonly outcome: string;
  readonly rejectReason?: string;
  readonly replies: readonly { readonly sender: string; readonly raw: string }[];
}

/** Hands a mail to the local runtime as a mail server would. */
async function deliver(server: DevServer, from: string, to: string, text: string, id: string) {
  const raw = [
    "Authentication-Results: mx.test; dmarc=pass header.from=lender.example",
    `From: ${from}`,
    `To: ${to}`,
    "Subject: Re: a question",
    `Message-ID: <${id}@lender.example>`,
    "Content-Type: text/plain; charset=utf-8",
    "",
    text,
    "",
  ].join("\r\n");
  const query = new URLSearchParams({ from, to, format: "json" });
  const url = `${server.url}/cdn-cgi/local/email?${query.toString()}`;
  return (await (await fetch(url, { method: "POST", body: raw })).json()) as Delivered;
}

it("takes an answer by mail in the app that ships, explains itself by mail, and starts a turn by one", async () => {
  await using folder = await temporaryFolder();
  await using server = await startDevServer({
    folder: folder.path,
    variables: {
      MAIL_AUTHSERV_ID: "mx.test",
      MAIL_FROM: "Loan desk <desk@mail.example>",
      MAIL_TO: DANA,
      MAIL_AGENTS: '{"loans@mail.example":{"agent":"loan-desk","workspace":"dev"}}',
    },
  });
  const client = clientOf(server.url);
  const parked = await client.start({ input: "Pre-approve APP-1008: income 5000, debt 2350" });
  const requestId = parked.waitingFor?.[0]?.requestId ?? "";
  const token = await signMailToken(LINK_SECRET, { workspace: "dev", requestId });
  const to = `desk+${token}@mail.example`;

  const foreign = await deliver(server, "eve@lender.example", to, "approve", "1");
  expect(foreign).toMatchObject({ outcome: "ok", replies: [{ sender: "desk@mail.example" }] });
  expect(foreign.replies[0]?.raw).toMatch(/^In-Reply-To: <1@lender\.example>\r$/m);
  expect(foreign.replies[0]?.raw).toMatch(/^auto-submitted: auto-replied\r$/im);

  expect(await deliver(server, DANA, to, "approve", "2")).toMatchObject({
    outcome: "ok",
    replies: [],
  });
  expect(await client.settled(parked.id)).toMatchObject({
    status: "completed",
    text: expect.stringMatching(/^APP-1008 is pre-approved: /) as string,
  });

  const started = await deliver(
    server,
    "kofi@lender.example",
    "loans@mail.example",
    "Pre-approve APP-1001: income 6200, debt 1550",
    "3",
  );
  expect(started).toMatchObject({ outcome: "ok", replies: [] });
  const turns = await until("the mail's turn is completed", async () => {
    const completed = await client.completed();
    return completed.length === 2 ? completed : undefined;
  });
  expect(turns.map(({ metadata }) => metadata?.["mailFrom"])).toContain("kofi@lender.example");
});
