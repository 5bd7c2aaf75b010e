import { describe, expect, it } from "vitest";
import type { Question } from "../../src/core/question.ts";
import { signNonce } from "../../src/outbound/sign.ts";
import { APPROVAL, CHOICE, FORM, JSON_VALUE, MULTIPLE, OPEN, VALUE } from "../pages/questions.ts";
import { createDesk, fillIn, nonceOf, NOW, SECRET, send } from "../pages/desk.ts";
import { wordsOf } from "../pages/rendered.ts";

const FORM_TYPE = "application/x-www-form-urlencoded";

describe("POST", () => {
  it("records an answer, says so, and shows it from then on", async () => {
    const desk = createDesk([CHOICE]);
    const path = await desk.linkTo(CHOICE);
    const response = await fillIn(desk, path, {
      option: "approve",
      text: " Fine. ",
      reason: "",
      action: "answer",
    });
    expect(response.status).toBe(200);
    const html = await response.text();
    expect(html).toContain("Recorded.");
    expect(html).toContain("was answered");
    expect(desk.question(CHOICE.requestId)).toMatchObject({
      status: "answered",
      answer: { option: "approve", text: "Fine." },
      answeredBy: "link",
      answeredVia: "page",
    });
    const later = await desk.app.request(path);
    expect(later.status).toBe(200);
    expect(await later.text()).not.toContain("Recorded.");
  });

  it("answers as the link's recipient", async () => {
    const desk = createDesk([{ ...CHOICE, to: "ada@example.com" }]);
    await fillIn(desk, await desk.linkTo({ ...CHOICE, to: "ada@example.com" }), {
      option: "deny",
      answeredBy: "mallory",
    });
    expect(desk.question(CHOICE.requestId)?.answeredBy).toBe("ada@example.com");
  });

  it("says to the one who answered that it was them, whenever they come back, and to nobody else", async () => {
    const asked: Question = { ...CHOICE, to: "ada", recipients: ["ada", "bob"] };
    const desk = createDesk([asked]);
    const [ada, bob] = [await desk.linkTo(asked), await desk.linkTo(asked, { recipient: "bob" })];
    await fillIn(desk, ada, { option: "deny" });
    const seen = async (path: string, language: string) => {
      const headers = { "accept-language": language };
      return wordsOf(await (await desk.app.request(path, { headers })).text());
    };
    expect(await seen(ada, "en")).toContain("was answered by you (ada)");
    expect(await seen(ada, "de")).toContain("wurde von Ihnen (ada)");
    expect(await seen(bob, "en")).toContain("was answered by ada");
    expect(await seen(bob, "de")).toContain("wurde von ada");
  });

  it("records each kind of question's answer", async () => {
    const cases: [Question, Record<string, string>, unknown][] = [
      [MULTIPLE, { options: "payslip" }, { options: ["payslip"] }],
      [OPEN, { text: "one\r\ntwo" }, { text: "one\ntwo" }],
      [
        FORM,
        { q0: "0", q1: "1" },
        {
          answers: {
            "Which scope should be used?": "Focused",
            "Which outputs do you need?": ["Docs"],
          },
        },
      ],
      [FORM, { response: "Later" }, { answers: {}, response: "Later" }],
      [APPROVAL, { action: "approve" }, { approved: true }],
      [APPROVAL, { action: "deny", reason: "No." }, { approved: false, reason: "No." }],
      [VALUE, { value_0: "1", value_1: "2" }, { value: { low: 1, high: 2 } }],
      [JSON_VALUE, { value: '[{"after":1}]' }, { value: [{ after: 1 }] }],
    ];
    for (const [question, fields, answer] of cases) {
      const desk = createDesk([question]);
      expect((await fillIn(desk, await desk.linkTo(question), fields)).status).toBe(200);
      expect(desk.question(question.requestId)?.answer).toEqual(answer);
    }
  });

  it("takes a multipart form as well", async () => {
    const desk = createDesk([CHOICE]);
    const path = await desk.linkTo(CHOICE);
    const body = new FormData();
    body.set("nonce", nonceOf(await (await desk.app.request(path)).text()));
    body.set("option", "deny");
    expect((await desk.app.request(path, { method: "POST", body })).status).toBe(200);
    expect(desk.question(CHOICE.requestId)?.answer).toEqual({ option: "deny" });
  });

  it("declines, with the reason where there is one", async () => {
    for (const [reason, stored] of [
      ["Not mine. ", "Not mine."],
      [" ", undefined],
    ] as const) {
      const desk = createDesk([CHOICE]);
      const response = await fillIn(desk, await desk.linkTo(CHOICE), {
        option: "approve",
        action: "decline",
        reason,
      });
      expect(response.status).toBe(200);
      expect(await response.text()).toContain("was declined");
      expect(desk.question(CHOICE.requestId)?.reason).toBe(stored);
      expect(desk.calls).not.toContain("answer");
    }
  });

  it("brings an answer that does not fit back, with what was typed and why", async () => {
    const desk = createDesk([CHOICE]);
    const response = await fillIn(desk, await desk.linkTo(CHOICE), {
      option: "hold",
      text: "typed <here>",
      reason: "r",
    });
    expect(response.status).toBe(422);
    const html = await response.text();
    expect(html).toContain("typed &lt;here&gt;");
    expect(html).toContain("Choose from the options shown.");
    expect(desk.question(CHOICE.requestId)?.status).toBe("waiting");
    expect(
      (await send(desk, await desk.linkTo(CHOICE), { nonce: nonceOf(html), option: "deny" }))
        .status,
    ).toBe(200);
  });

  it("brings a reason that is too long back", async () => {
    const desk = createDesk([CHOICE]);
    const response = await fillIn(desk, await desk.linkTo(CHOICE), {
      action: "decline",
      reason: "x".repeat(4_097),
    });
    expect(response.status).toBe(422);
    expect(await response.text()).toContain('id="reason-issue"');
    expect(desk.calls).not.toContain("decline");
  });

  it("decides nothing by a button that the form does not have", async () => {
    for (const [question, action] of [
      [CHOICE, "approve"],
      [CHOICE, "cancel"],
      [APPROVAL, "answer"],
      [APPROVAL, ""],
    ] as const) {
      const desk = createDesk([question]);
      const response = await fillIn(desk, await desk.linkTo(question), {
        action,
        option: "approve",
      });
      expect(response.status).toBe(422);
      expect(desk.question(question.requestId)?.status).toBe("waiting");
    }
  });

  it("takes the same answer again as a receipt, and refuses another", async () => {
    const desk = createDesk([CHOICE]);
    const path = await desk.linkTo(CHOICE);
    const nonce = nonceOf(await (await desk.app.request(path)).text());
    expect((await send(desk, path, { nonce, option: "approve" })).status).toBe(200);
    const again = await send(desk, path, { nonce, option: "approve" });
    expect(again.status).toBe(200);
    expect(await again.text()).toContain("Recorded.");
    const other = await send(desk, path, { nonce, option: "deny" });
    expect(other.status).toBe(409);
    const html = await other.text();
    expect(html).toContain("Yours was not recorded");
    expect(html).toContain("was answered");
    expect(desk.question(CHOICE.requestId)?.answer).toEqual({ option: "approve" });
  });

  it("shows who was first, and does not say it was this reader", async () => {
    const desk = createDesk([CHOICE]);
    const path = await desk.linkTo(CHOICE);
    const nonce = nonceOf(await (await desk.app.request(path)).text());
    const answered = {
      status: "answered",
      answer: { option: "deny" },
      answeredBy: "bob",
      answeredVia: "api",
    } as const;
    desk.put({ ...CHOICE, ...answered, answeredAt: "2026-11-30T09:59:00.000Z" });
    const same = await send(desk, path, { nonce, option: "deny" });
    expect(same.status).toBe(200);
    const html = await same.text();
    expect(html).toContain("<bdi>bob</bdi>");
    expect(html).not.toContain("Recorded.");
    expect((await send(desk, path, { nonce, action: "decline" })).status).toBe(409);
  });

  it("wants the nonce of this link's own form, and shows the form again without one", async () => {
    const desk = createDesk([CHOICE]);
    const path = await desk.linkTo(CHOICE);
    const foreign = await signNonce(SECRET, "another token", NOW);
    for (const nonce of ["", "x", foreign]) {
      const response = await send(desk, path, { nonce, option: "approve", text: "typed" });
      expect(response.status).toBe(403);
      const html = await response.text();
      expect(html).toMatch(/value="approve" id="option-0" checked=""/);
      expect(html).toContain("typed</textarea>");
      expect(desk.question(CHOICE.requestId)?.status).toBe("waiting");
    }
    expect((await desk.app.request(path, { method: "POST" })).status).toBe(403);
    expect(desk.calls).not.toContain("answer");
  });

  it("takes a form that was open for a day, and has an older one sent again", async () => {
    const desk = createDesk([CHOICE]);
    const path = await desk.linkTo(CHOICE);
    const nonce = nonceOf(await (await desk.app.request(path)).text());
    desk.advance(24 * 60 * 60 * 1_000 + 1);
    const stale = await send(desk, path, { nonce, option: "approve" });
    expect(stale.status).toBe(403);
    const again = await send(desk, path, { nonce: nonceOf(await stale.text()), option: "approve" });
    expect(again.status).toBe(200);
  });

  it("refuses a foreign Origin, and no missing, own or withheld one", async () => {
    const origins: [Record<string, string>, number][] = [
      [{}, 200],
      [{ origin: "https://ask.example" }, 200],
      [{ origin: "http://localhost" }, 200],
      [{ origin: "null" }, 200],
      [{ origin: "null", "sec-fetch-site": "same-origin" }, 200],
      [{ origin: "https://evil.example" }, 403],
      [{ origin: "https://ask.example.evil.example" }, 403],
      [{ origin: "http://ask.example" }, 403],
      [{ origin: "null", "sec-fetch-site": "cross-site" }, 403],
      [{ origin: "null", "sec-fetch-site": "same-site" }, 403],
    ];
    for (const [headers, status] of origins) {
      const desk = createDesk([CHOICE]);
      const response = await fillIn(
        desk,
        await desk.linkTo(CHOICE),
        { option: "approve" },
        headers,
      );
      expect([headers, response.status]).toEqual([headers, status]);
      expect(desk.question(CHOICE.requestId)?.status).toBe(status === 200 ? "answered" : "waiting");
    }
  });

  it("answers nothing by a forged or an expired link, and asks nobody about it", async () => {
    const desk = createDesk([CHOICE]);
    const expired = await desk.linkTo(CHOICE, { expiresAt: NOW });
    const nonce = await signNonce(SECRET, expired.slice("/a/".length), NOW);
    expect((await send(desk, expired, { nonce, option: "approve" })).status).toBe(410);
    expect((await send(desk, "/a/forged", { option: "approve" })).status).toBe(404);
    expect(desk.calls).toEqual([]);
  });

  it("answers nothing by a link of before it was assigned to somebody else", async () => {
    const desk = createDesk([{ ...CHOICE, to: "ada" }]);
    const path = await desk.linkTo({ ...CHOICE, to: "ada" });
    const nonce = nonceOf(await (await desk.app.request(path)).text());
    desk.put({ ...CHOICE, to: "bob" });
    expect((await send(desk, path, { nonce, option: "approve" })).status).toBe(404);
    expect(desk.question(CHOICE.requestId)?.status).toBe("waiting");
  });

  it("takes thirty tries of one link a minute, and then says when to try again", async () => {
    const desk = createDesk([CHOICE]);
    const path = await desk.linkTo(CHOICE);
    for (let n = 0; n < 30; n += 1) expect((await send(desk, path, {})).status).toBe(403);
    const refused = await send(desk, path, {});
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
    expect((await desk.app.request(path)).status).toBe(200);
    desk.advance(60_000);
    expect((await fillIn(desk, path, { option: "approve" })).status).toBe(200);
  });

  it("reads at most two MiB, and only a form", async () => {
    const desk = createDesk([CHOICE]);
    const path = await desk.linkTo(CHOICE);
    const post = async (body: BodyInit, type: string) =>
      (await desk.app.request(path, { method: "POST", body, headers: { "content-type": type } }))
        .status;
    expect(await post(`text=${"x".repeat(2 * 1024 * 1024)}`, FORM_TYPE)).toBe(413);
    expect(await post(`text=${"x".repeat(2 * 1024 * 1024 - 5)}`, FORM_TYPE)).toBe(403);
    expect(await post("{}", "application/json")).toBe(415);
    expect(await post("x", "text/plain")).toBe(415);
    expect(await post("x", "multipart/form-data")).toBe(400);
    expect(await post("a&".repeat(100_000), FORM_TYPE)).toBe(400);
    expect(desk.question(CHOICE.requestId)?.status).toBe("waiting");
  });

  it("stops reading a body that turns out too large", async () => {
    const desk = createDesk([CHOICE]);
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1;
        controller.enqueue(new Uint8Array(256 * 1024).fill(0x61));
      },
    });
    const request = new Request(`http://localhost${await desk.linkTo(CHOICE)}`, {
      method: "POST",
      body,
      headers: { "content-type": FORM_TYPE },
      duplex: "half",
    } as RequestInit);
    expect((await desk.app.request(request)).status).toBe(413);
    expect(sent).toBeLessThan(20);
  });
});
