/**
 * Owns: answering a question by a mail whose sender is known: whether it is the one who was asked, and what the sender is
 * told where nothing was recorded.
 */

import { parseId } from "../core/ids.ts";
import { DEFAULT_LANGUAGE } from "../core/language.ts";
import { mailForm } from "../core/mail-form.ts";
import { areSameAddress } from "../core/mailbox.ts";
import type { Question } from "../core/question.ts";
import { isAddressedTo } from "../core/recipients.ts";
import type { Refusal } from "../core/refusal.ts";
import type { MailTokenLink } from "../outbound/mail-token.ts";
import { answerUrl } from "../outbound/sign.ts";
import { type MessageWords, messageWordsOf } from "../pages/message-words.ts";
import { issueWords, readMailAnswer } from "./mail-answer.ts";
import type { MailDoor } from "./mail-door.ts";
import type { Explanation } from "./mail-explanation.ts";
import type { ReadMail } from "./mail-message.ts";
import { replyOf } from "./mail-reply.ts";

/** Undefined: it is recorded, or was before. */
export async function answerByMail(
  door: MailDoor,
  env: object,
  { workspace, requestId, recipient }: MailTokenLink,
  mail: ReadMail,
  sender: string,
): Promise<Explanation | undefined> {
  const notYours: Explanation = { why: wordsOf(door).mail.notYours };
  const id = parseId("q", requestId);
  if (id === undefined) throw new Error("a token names a question");
  const face = door.openSession(env, workspace, id.key);
  const read = await face.readQuestion(id.n);
  if (!read.ok) return notYours;
  const question = read.value;
  const asked = addressOf(question, recipient, door.recipients(env, question.agent));
  if (asked === undefined || !areSameAddress(asked, sender)) return notYours;
  const reading = readMailAnswer(question, replyOf(mail.text, mail.from?.name));
  if (!reading.ok && question.status === "waiting")
    return stillOpen(door, env, workspace, question, reading.why(wordsOf(door).mail));
  const settled = await face.settleQuestion(id.n, {
    action: "answer",
    // One that can't be read is refused by the question's end, which is what the sender has to know.
    answer: reading.ok ? reading.answer : null,
    by: sender,
    via: "email",
    ...(recipient !== undefined && { link: { recipient } }),
  });
  if (settled.ok) return undefined;
  return explanationOf(door, env, workspace, question, settled.refusal);
}

function wordsOf({ look }: MailDoor): MessageWords {
  return messageWordsOf(look.language ?? DEFAULT_LANGUAGE);
}

/** To which address the question goes now for the one of the token; undefined where it went to somebody else since. */
function addressOf(
  question: Question,
  recipient: string | undefined,
  recipients: ReadonlyMap<string, string>,
): string | undefined {
  if (recipient !== undefined)
    return isAddressedTo(question, recipient) ? recipients.get(recipient) : undefined;
  const hasOwn = question.to !== undefined && recipients.has(question.to);
  return hasOwn ? undefined : recipients.get("");
}

function explanationOf(
  door: MailDoor,
  env: object,
  workspace: string,
  question: Question,
  refusal: Refusal,
): Explanation | Promise<Explanation> {
  switch (refusal.code) {
    case "invalid_answer":
      return stillOpen(
        door,
        env,
        workspace,
        question,
        `${wordsOf(door).mail.doesNotFit}\n${issueWords(refusal.issues)}`,
      );
    case "already_answered":
    case "declined":
    case "cancelled":
    case "expired":
      return { why: `${wordsOf(door).mail.hadEnded} ${refusal.detail}` };
    case "invalid_request":
    case "not_found":
    case "session_busy":
    case "session_full":
    case "idempotency_key_reused":
    case "turn_settled":
    case "turn_not_parked":
    case "not_waiting_head":
    case "run_sealed":
    case "wait_not_client_owned":
    case "results_incomplete":
    case "invalid_result":
      return { why: refusal.detail };
  }
}

/** It can be answered again, by mail or on the page. */
async function stillOpen(
  door: MailDoor,
  env: object,
  workspace: string,
  question: Question,
  why: string,
): Promise<Explanation> {
  const { linkSecret, publicUrl } = door.config(env);
  const { howToReply, mail } = wordsOf(door);
  const how = howToReply(mailForm(question));
  return {
    why,
    ...(how !== undefined && { how: `${how} ${mail.writeAbove}` }),
    ...(linkSecret !== undefined &&
      publicUrl !== undefined && {
        url: await answerUrl(linkSecret, publicUrl, workspace, question),
      }),
  };
}
