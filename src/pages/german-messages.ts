/** Owns: the words of mails and of messages in Slack in German. */

import type { NoticeEvent } from "../core/channel.ts";
import type { MailForm } from "../core/mail-form.ts";
import type { AnsweredVia } from "../core/question.ts";
import type { Ended, MessageWords } from "./message-words.ts";

export const germanMessages: MessageWords = {
  prefixes: {
    "question.asked": "",
    "question.reminded": "Erinnerung: ",
    "question.escalated": "An Sie weitergegeben: ",
    "question.assigned": "",
    "question.answered": "Beantwortet: ",
    "question.declined": "Zurückgewiesen: ",
    "question.cancelled": "Zurückgezogen: ",
    "question.expired": "Abgelaufen: ",
  },
  opening,
  theTool: "Das Werkzeug",
  toolIsGiven: (tool) => `${tool} bekäme:`,
  openUntil: (time) => `Offen bis ${time}.`,
  reference: (requestId) => `Kennung ${requestId}`,
  answerOnPage: "Auf der Seite antworten",
  orAnswerOnPage: "Oder auf der Seite antworten",
  howToReply,
  ended,
  nothingLeft: "Für Sie ist nichts mehr zu tun.",
  mail: {
    notRecorded: "Ihre E-Mail wurde nicht gespeichert.",
    writeAbove: "Schreiben Sie es über alles andere in Ihrer E-Mail.",
    onPageAlone: "Diese Frage wird auf ihrer Seite beantwortet, nicht per E-Mail.",
    empty: "In Ihrer E-Mail stand nichts als das, was sie zitiert.",
    tooLong: (characters) =>
      `Ihre E-Mail ist zu lang: höchstens ${characters} Zeichen werden gelesen.`,
    yesOrNoAlone: "Die Antwort ist das eine Wort ja oder nein.",
    numberAlone: "Die Antwort ist eine Zahl allein, etwa 12 oder 12.5.",
    moreThanYes:
      "Ihre E-Mail sagt mehr als ja. Was freigegeben wird, läuft genau so wie gezeigt; eine Freigabe kann keine Bedingung und keine Anmerkung haben.",
    yesOrNoFirst: "Die erste Zeile muss ja oder nein sagen.",
    nameOne: (names) => `Die erste Zeile muss eines davon nennen: ${names}.`,
    onlyOne: "Gefragt ist eine Wahl, und Ihre E-Mail nennt mehr.",
    choiceAlone:
      "Ihre E-Mail sagt mehr als die Wahl, und sonst kann nichts mit ihr gespeichert werden.",
    notYours:
      "Diese Adresse darf die Frage nicht beantworten. Es gilt die Antwort der Person, die gefragt wurde, von der Adresse, die gefragt wurde, und nur solange die Frage bei ihr ist.",
    doesNotFit: "Die Antwort passt nicht zur Frage:",
    hadEnded: "Die Frage hatte geendet, bevor Ihre E-Mail ankam.",
  },
  slack: {
    shownInPart: "Hier steht nur der Anfang. Die Seite zeigt alles.",
    stillOpen: "Sie ist oben noch offen.",
    notYours:
      "Nichts wurde gespeichert: Diese Frage haben nicht Sie zu beantworten. Vielleicht wurde sie an jemand anderen gegeben.",
    notTaken:
      "Nichts wurde gespeichert: Die Antwort passt nicht zur Frage. Antworten Sie auf ihrer Seite.",
    linkExpired: "Nichts wurde gespeichert: Die Zeit zum Antworten ist vorbei.",
  },
};

function opening(event: NoticeEvent, agent: string | undefined, isApproval: boolean): string {
  const asks = isApproval ? "bittet um Ihre Freigabe" : "fragt Sie";
  const asked = agent === undefined ? "Sie werden gefragt:" : `Der Agent ${agent} ${asks}:`;
  switch (event) {
    case "question.reminded":
      return `Eine Erinnerung, denn noch kam keine Antwort. ${asked}`;
    case "question.escalated":
      return `Noch hat niemand geantwortet, darum wurde dies an Sie weitergegeben. ${asked}`;
    case "question.assigned":
      return `Dies wurde Ihnen übergeben. ${asked}`;
    default:
      return asked;
  }
}

function howToReply(form: MailForm): string | undefined {
  switch (form.kind) {
    case "decision":
      return "Antworten Sie mit dem einen Wort ja, um freizugeben, oder mit nein und darunter Ihrem Grund.";
    case "choice": {
      const names = form.numbered ? "der Nummer oder dem Namen" : "dem Namen";
      const what = form.multiple ? `${names} jeder Wahl, je einer Zeile` : `${names} Ihrer Wahl`;
      const where = form.allowNote
        ? " in der ersten Zeile; eine Anmerkung darf darunter folgen"
        : " und nichts sonst";
      return `Antworten Sie mit ${what}${where}.${form.allowText ? " Oder antworten Sie mit eigenen Worten." : ""}`;
    }
    case "text":
      return "Antworten Sie mit Ihrer Antwort.";
    case "boolean":
      return "Antworten Sie mit dem einen Wort ja oder nein.";
    case "number":
      return "Antworten Sie mit der Zahl allein, mit Punkt statt Komma.";
    case "page":
      return undefined;
  }
}

function ended({ status, by, at, via }: Ended): string {
  const when = at === undefined ? "" : ` am ${at}`;
  const door = by === "link" ? "" : sayDoor(via);
  switch (status) {
    case "answered":
      return by === "default"
        ? `Sie wurde${when} mit der vorgesehenen Antwort beantwortet, weil niemand kam.`
        : `Sie wurde${sayBy(by)}${when}${door} beantwortet.`;
    case "declined":
      return `Sie wurde${sayBy(by)}${when}${door} zurückgewiesen.`;
    case "cancelled":
      return `Sie wurde${sayBy(by)}${when} zurückgezogen.`;
    case "expired":
      return `Rechtzeitig kam keine Antwort: Sie ist${when} abgelaufen.`;
  }
}

export function sayDoor(via: AnsweredVia | undefined, page = "auf der Seite"): string {
  switch (via) {
    case undefined:
    case "default":
      return "";
    case "page":
      return ` ${page}`;
    case "email":
      return " per E-Mail";
    case "slack":
      return " in Slack";
    case "api":
    case "service":
    case "code":
      return " über die API";
  }
}

function sayBy(by: string | undefined): string {
  if (by === undefined) return "";
  return by === "link" ? " über den Link" : ` von ${by}`;
}
