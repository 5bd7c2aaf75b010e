/**
 * Owns: the words by which mail programs, in the languages that people use them in, introduce what they quote, and by
 * which people end a mail. Each pattern is tried on one line, or a few joined ones, that were cleaned before.
 * Does not own: what is done with them (`mail-reply.ts`).
 */

/** "… wrote:", with the name before or after it. */
const WROTE = [
  "wrote", // English
  "schrieb(?:en)?", // German
  "a écrit", // French
  "escribió|ha escrit|va escriure", // Spanish, Catalan
  "escreveu", // Portuguese
  "ha scritto|scrive", // Italian
  "schreef|geschreven", // Dutch
  "skrev", // Swedish, Danish, Norwegian
  "kirjoitti", // Finnish
  "napisał(?:\\(a\\)|a)?|pisze", // Polish
  "написал(?:\\(а\\)|а)?|пишет|писал(?:\\(а\\)|а)?", // Russian
  "написав|пише", // Ukrainian
  "napsal(?:\\(a\\)|a)?|napísal(?:\\(a\\)|a)?", // Czech, Slovak
  "írta", // Hungarian
  "a scris", // Romanian
  "yazdı", // Turkish
  "έγραψε", // Greek
  "je napisao|je napisala|је написао", // Croatian, Serbian
  "كتبت?|وكتب", // Arabic
  "כתב(?:ה)?", // Hebrew
  "のメッセージ|書きました|のメール", // Japanese
  "写道|寫道|写到|撰写", // Chinese
  "작성|님이 씀", // Korean
  "đã viết", // Vietnamese
  "menulis", // Indonesian
];

/** Ends a line, or is followed by a name only. A text that holds a sentence of its own before it is no introduction. */
export const INTRODUCTION = new RegExp(`(?:${WROTE.join("|")})[^:：]{0,160}[:：]$`, "iu");

/** How an introduction begins, where a line break comes before its date. */
export const INTRODUCTION_START =
  /^(?:on|am|le|el|em|il|op|den|dnia|w dniu|pe|dne|dňa|la|στις|tarihinde|vào|pada|в|на|de|da|el dia|в[тс]|пн|вт|ср|чт|пт|сб|вс|mon|tue|wed|thu|fri|sat|sun|lun|mar|mié|jeu|ven|sáb|dom|seg|qua|qui|sex|gio|mer|ma|di|wo|do|vr|za|zo|mån|tis|ons|tors|fre|lör|sön|pon|wt|śr|czw|pt|sob|niedz)(?:[\s.,]|$)/iu;

/** The first line of the head that Outlook and others put over the mail that they quote. */
export const QUOTED_HEAD =
  /^(?:From|Von|De|Da|Van|Från|Fra|Lähettäjä|Od|От|Від|Kimden|Από|Feladó|De la|Dari|Từ|จาก|差出人|送信者|发件人|發件人|寄件者|寄件人|보낸 ?사람|من|מאת) ?[:：] ?\S/iu;

/** Another line of such a head, in any language. */
export const HEAD_LINE = /^[^\s:：][^:：]{0,30}[:：]\s*\S/u;

/** "Sent from my iPhone", and what else programs add below a mail of their own accord. */
const ADDED = [
  "sent from|sent with|sent via|get outlook for",
  "von meinem .{1,40} gesendet|gesendet (?:von|mit|aus)|diese nachricht wurde von",
  "envoyé (?:de|depuis|à partir|avec)|télécharger outlook|obtenez outlook",
  "enviado (?:desde|do|a partir|com|con|de)|obtener outlook|obter o outlook",
  "inviato (?:da|dal|con)|scarica outlook|ottieni outlook",
  "verstuurd (?:vanaf|met)|verzonden (?:vanaf|met)|outlook voor",
  "skickat från|skickades från|hämta outlook",
  "sendt fra|hent outlook",
  "lähetetty",
  "wysłane z|wysłano z|pobierz (?:aplikację )?outlook",
  "отправлено (?:с|из)|надіслано з",
  "odesláno z|odoslané z",
  "elküldve a",
  "trimis de pe",
  ".{1,40}(?:imdan|ımdan) gönderildi|gönderen:",
  "στάλθηκε από",
  "أرسل من|أُرسلت من|تم الإرسال من|مرسل من",
  "נשלח מ",
  "发自|從我的|从我的|傳送自|寄自",
];

export const ADDED_LINE = new RegExp(
  `^(?:(?:${ADDED.join("|")}).{0,120}|.{1,30}から送信|나의 .{1,30}에서 보냄)$`,
  "iu",
);

/** How a person ends a mail; the name stands below it. */
const CLOSINGS = [
  "(?:many |best |kind |warm )?(?:thanks|thank you|regards|wishes)(?: and regards| again| in advance)?|best|cheers|sincerely|yours(?: sincerely| truly)?|all the best|thx",
  "(?:mit )?(?:freundlichen?|besten?|herzlichen?|lieben?|viele|schöne) gr(?:ü|ue)(?:ß|ss)en?|danke(?: und gr(?:ü|ue)(?:ß|ss)e)?|vielen dank|mfg|lg|vg|gr(?:ü|ue)(?:ß|ss)e|gru(?:ß|ss)",
  "(?:bien )?cordialement|bien à (?:vous|toi)|merci(?: d'avance| beaucoup)?|salutations|sincères salutations",
  "(?:un )?(?:cordial )?saludos?(?: cordiales)?|(?:muchas )?gracias|atentamente|un abrazo",
  "atenciosamente|(?:com os melhores )?cumprimentos|abraços?|(?:muito )?obrigad[oa]",
  "(?:cordiali|distinti|cari) saluti|grazie(?: mille)?|saluti",
  "(?:met )?(?:vriendelijke groet(?:en)?|groet(?:en|jes)?)|mvg|bedankt|alvast bedankt",
  "(?:med )?(?:vänliga?|bästa) häls?ning(?:ar)?|tack(?: på förhand)?|mvh|hälsningar",
  "(?:med )?(?:venlig|vennlig) hilsen|hilsen|takk",
  "ystävällisin terveisin|terveisin|kiitos",
  "(?:z )?pozdrawiam|pozdrowienia|dziękuję|dzięki",
  "с уважением|спасибо|з повагою|дякую",
  "s pozdravem|děkuji|üdvözlettel|köszönöm|cu respect|mulțumesc|saygılarımla|teşekkürler|με εκτίμηση|ευχαριστώ",
  "مع التحية|شكرا|شكراً|وشكرا|تحياتي|בברכה|תודה",
  "よろしくお願い(?:いた|致)?します|宜しくお願い(?:いた|致)?します|以上|敬具",
  "谢谢|謝謝|此致|祝好|顺颂商祺|감사합니다|드림",
];

export const CLOSING = new RegExp(`^(?:${CLOSINGS.join("|")})[\\s,.!。、，！-]*$`, "iu");

/** How a person begins one: a line of it says nothing yet. */
export const GREETING =
  /^(?:hi|hello|hey|dear|good (?:morning|afternoon|evening|day)|hallo|guten (?:tag|morgen|abend)|moin|servus|liebe[rs]?|sehr geehrte[rs]?|bonjour|bonsoir|salut|cher|chère|hola|buen(?:os|as)|estimad[oa]s?|olá|oi|bom dia|boa (?:tarde|noite)|prezad[oa]s?|ciao|buon(?:giorno|asera)|gentile|beste|geachte|hoi|goede(?:morgen|middag)|hej|hejsan|kära|kære|hei|moi|cześć|dzień dobry|szanown[iay]|witam|привет|здравствуйте|добрый|уважаем\p{L}+|dobrý den|szia|kedves|bună|merhaba|γεια|مرحبا|السلام عليكم|שלום|您好|你好|안녕하세요)(?:[\s,!.，、:]\P{Nd}{0,40})?$/iu;

/** A Japanese mail begins with the name of whom it is to, or with such a phrase. */
export const JAPANESE_GREETING =
  /^(?:.{0,20}(?:様|さん|御中)|お世話になっております.{0,10}|こんにちは)[。、]?$/u;
