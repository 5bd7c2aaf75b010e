import { describe, expect, it } from "vitest";
import { replyOf } from "../../src/inbound/mail-reply.ts";

const QUOTED = "\n\nOn Mon, 30 Nov 2026 at 10:04, Desk <desk@mail.example> wrote:\n\n> May we?\n";

describe("what a person wrote in a reply", () => {
  it.each([
    // Languages without a mail of their own in the fixtures.
    ["Ja\n\nDne po 30. 11. 2026 10:04 uživatel Desk <desk@mail.example> napsal:\n\n> x", "Ja"],
    ["Da\n\nÎn lun., 30 nov. 2026 la 10:04, Desk <desk@mail.example> a scris:\n\n> x", "Da"],
    [
      "Evet\n\nDesk <desk@mail.example>, 30 Kas 2026 Pzt, 10:04 tarihinde şunu yazdı:\n\nMay we?",
      "Evet",
    ],
    [
      "Ναι\n\nΣτις Δευ 30 Νοε 2026 στις 10:04, ο χρήστης Desk <desk@mail.example> έγραψε:\n\n> x",
      "Ναι",
    ],
    ["Joo\n\nma 30. marrask. 2026 klo 10.04 Desk (desk@mail.example) kirjoitti:\n\nMay we?", "Joo"],
    ["Ja\n\nman. 30. nov. 2026 kl. 10.04 skrev Desk <desk@mail.example>:\n\nMay we?", "Ja"],
    ["Так\n\nпн, 30 лист. 2026 р. о 10:04 Desk <desk@mail.example> пише:\n\nMay we?", "Так"],
    ["כן\n\nבתאריך יום ב׳, 30 בנוב׳ 2026 ב-10:04 מאת Desk <‪desk@mail.example‬‏>:‬\n\n> x", "כן"],
    // No language that is known, but a quote that is marked.
    ["Ya\n\nPada 30/11/2026 10:04, Desk <desk@mail.example> telah mengirim:\n> x", "Ya"],
    [
      "Ano\n\nOd: Desk <desk@mail.example>\nOdesláno: pondělí 30. listopadu 2026\nKomu: Dana\nPředmět: x\n\nMay we?",
      "Ano",
    ],
    ["Evet\n\nKimden: Desk\nGönderildi: 30 Kasım 2026\nKime: Dana\nKonu: x\n\nMay we?", "Evet"],
    ["Igen\n\nFeladó: Desk\nElküldve: 2026. november 30.\nCímzett: Dana\nTárgy: x", "Igen"],
    [`Tak\n\nWysłane z iPhone'a${QUOTED}`, "Tak"],
    [`Да\n\nОтправлено с iPhone${QUOTED}`, "Да"],
    [`Oui\n\nEnvoyé de mon iPhone${QUOTED}`, "Oui"],
    [`Sim\n\nEnviado do meu iPhone${QUOTED}`, "Sim"],
    [`Sì\n\nInviato da iPhone${QUOTED}`, "Sì"],
    [`Ja\n\nVerstuurd vanaf mijn iPhone${QUOTED}`, "Ja"],
    [`Ja\n\nSkickat från min iPhone${QUOTED}`, "Ja"],
    [`是\n\n发自我的 iPhone${QUOTED}`, "是"],
    [`نعم\n\nأرسل من الـ iPhone${QUOTED}`, "نعم"],
  ])("is told from the rest in %j", (mail, reply) => {
    expect(replyOf(mail)).toBe(reply);
  });

  it.each([
    ["a line that ends in a colon", "Two conditions:\n- papers\n- by Friday"],
    ["a list of names and values", "Amount: 5000\nTerm: 12\nRate: 3"],
    ["a sentence about who wrote what", "Kofi wrote to us: he agrees."],
    ["a text of its own with a date and a colon", "By 30/11/2026 we need:\nthe papers"],
    ["a dash within", "yes - but\n- slowly"],
    ["thanks alone", "Thanks"],
    ["a greeting alone", "Hello"],
    ["a name alone", "Dana Weber"],
    ["lines of its own words beside the sender's name", "Ask\nDana\nfirst"],
  ])("keeps %s", (_, text) => {
    expect(replyOf(text + QUOTED, "Dana Weber")).toBe(text);
  });

  it("is nothing where nothing was written", () => {
    for (const mail of [
      "",
      "\n\n",
      QUOTED,
      `-- \nDana${QUOTED}`,
      `Sent from my iPhone${QUOTED}`,
      "> x",
    ])
      expect(replyOf(mail), mail).toBe("");
  });

  it("ends at the sender's name, in either order and in any case, where a blank line stands before it", () => {
    for (const name of ["Dana Weber", "DANA", "Weber, Dana", "weber"])
      expect(replyOf(`No.\n\n${name}\nLender Bank`, "Dana Weber")).toBe("No.");
  });

  it("is found in a moment, however long the mail and its lines", () => {
    const parts = [
      ":",
      "x:\n",
      "\n",
      " ",
      ">",
      "> \n",
      "-",
      "--",
      "_",
      "On 1:00 @ wrote",
      "On\n",
      "From: a\n",
      "a@b 10:04:\n",
      "wrote",
      "Dana\n\n",
      "\u200f",
      "*",
      "Hi,\n",
      "Thanks\n",
      "- ",
      "Von meinem ",
      "= =",
      "\r",
      "发自",
      "1 ",
    ];
    for (const part of parts) {
      const mail = part.repeat(Math.ceil(200_000 / part.length));
      expect(replyOf(mail, "Dana Weber").length, part).toBeLessThanOrEqual(mail.length);
    }
  }, 60_000);
});
