/**
 * Owns: which answer each of the mails in `test/fixtures/mail` is, as people's mail programs write them: the question
 * that it answers, and what has to be recorded.
 */

interface AskInput {
  readonly question: string;
  readonly options?: readonly { readonly id: string; readonly label: string }[];
  readonly multiple?: boolean;
  readonly allowText?: boolean;
}

function choice(approve: string, deny: string): AskInput {
  return {
    question: "May we pre-approve APP-1008?",
    options: [
      { id: "approve", label: approve },
      { id: "deny", label: deny },
    ],
  };
}

const CHOICE = choice("Approve", "Deny");
const STRICT: AskInput = { ...CHOICE, allowText: false };
const TERM: AskInput = { question: "Which term may we offer?" };
const PAPERS: AskInput = {
  question: "Which papers do you need?",
  options: [
    { id: "payslips", label: "Payslips" },
    { id: "contract", label: "Contract" },
    { id: "tax", label: "Tax return" },
  ],
  multiple: true,
};
const APPROVE = { option: "approve" };
const DENY = { option: "deny" };

/** By file, without its `.eml`. */
export const MAIL_CASES: Readonly<Record<string, readonly [AskInput, unknown]>> = {
  "gmail-web": [CHOICE, APPROVE],
  "gmail-web-de": [CHOICE, { option: "deny", text: "Zu riskant bei dieser Quote." }],
  "gmail-android-fr": [CHOICE, APPROVE],
  "gmail-web-es": [CHOICE, DENY],
  "gmail-web-pt": [STRICT, APPROVE],
  "gmail-web-it": [STRICT, DENY],
  "gmail-web-nl": [CHOICE, { text: "Goedgekeurd, maar alleen met een tweede handtekening." }],
  "gmail-web-ja": [choice("承認", "却下"), APPROVE],
  "gmail-web-zh": [choice("批准", "拒绝"), APPROVE],
  "gmail-web-zh-tw": [choice("批准", "拒絕"), DENY],
  "gmail-web-ru": [choice("Одобрить", "Отклонить"), APPROVE],
  "gmail-web-ar": [choice("موافق", "مرفوض"), DENY],
  "gmail-web-pl": [CHOICE, APPROVE],
  "gmail-web-sv": [CHOICE, DENY],
  "gmail-web-ko": [CHOICE, APPROVE],
  "gmail-web-hu": [CHOICE, APPROVE],
  "gmail-web-bottom": [STRICT, DENY],
  "gmail-web-inline": [TERM, { text: "Twelve months.\n\nNo longer than that." }],
  "outlook-desktop": [STRICT, APPROVE],
  "outlook-desktop-de": [
    CHOICE,
    { option: "deny", text: "Die Quote ist zu hoch für dieses Einkommen." },
  ],
  "outlook-desktop-html": [CHOICE, { option: "deny", text: "Not with this ratio & income." }],
  "outlook-web": [CHOICE, DENY],
  "outlook-web-fr": [STRICT, APPROVE],
  "outlook-web-html": [STRICT, APPROVE],
  "outlook-ios": [STRICT, DENY],
  "outlook-android-es": [CHOICE, APPROVE],
  "outlook-mac-zh": [choice("批准", "拒绝"), APPROVE],
  "apple-mail": [CHOICE, APPROVE],
  "apple-mail-fr": [CHOICE, DENY],
  "apple-mail-old": [CHOICE, DENY],
  "ios-mail": [STRICT, APPROVE],
  "ios-mail-de": [TERM, { text: "Nein, das geht nicht." }],
  "ios-mail-ja": [choice("承認", "却下"), DENY],
  "ios-mail-html": [STRICT, DENY],
  thunderbird: [STRICT, DENY],
  "thunderbird-top-de": [CHOICE, APPROVE],
  "thunderbird-inline": [TERM, { text: "Zwölf Monate,\n\nund nicht länger." }],
  "thunderbird-html": [
    CHOICE,
    { option: "approve", text: "One condition: a second signature — € 5,000 at most." },
  ],
  "yahoo-web": [STRICT, APPROVE],
  "yahoo-ios": [STRICT, DENY],
  protonmail: [CHOICE, APPROVE],
  "protonmail-html": [CHOICE, DENY],
  "k9-mail": [CHOICE, DENY],
  "k9-mail-top-de": [CHOICE, APPROVE],
  mutt: [STRICT, APPROVE],
  "the-bat-ru": [choice("Одобрить", "Отклонить"), DENY],
  "becky-ja": [choice("承認", "却下"), APPROVE],
  samsung: [STRICT, DENY],
  "gmx-web-de": [CHOICE, DENY],
  fastmail: [CHOICE, APPROVE],
  zoho: [STRICT, DENY],
  "lotus-notes": [STRICT, APPROVE],
  "plain-no-quote": [STRICT, APPROVE],
  "plain-several": [PAPERS, { options: ["payslips", "tax"] }],
  "plain-several-lines": [PAPERS, { options: ["payslips", "tax"], text: "The rest can wait." }],
  "plain-note": [CHOICE, { option: "deny", text: "The ratio is too high.\nAsk again in March." }],
  "plain-own-words": [CHOICE, { text: "not yet: I need the tax return first." }],
  "plain-full-width": [STRICT, DENY],
  "plain-emoji-rtl": [TERM, { text: "\u200fنعم 👍 موافق" }],
  "html-only-broken": [STRICT, APPROVE],
};
