/** Owns: the words of the pages in German. */

import { sayDoor } from "./german-messages.ts";
import { germanIssue } from "./german-issues.ts";
import type { Bounds, EndingFacts, NumberBounds, SettledStatus, Wording } from "./wording.ts";

const TIME_FORMAT = new Intl.DateTimeFormat("de-DE", {
  dateStyle: "long",
  timeStyle: "short",
  timeZone: "UTC",
});

export const german: Wording = {
  reference: "Kennung",
  skipToAnswer: "Zur Antwort springen",
  states: {
    waiting: "Wartet auf Sie",
    answered: "Beantwortet",
    declined: "Zurückgewiesen",
    cancelled: "Zurückgezogen",
    expired: "Abgelaufen",
  },
  time: (iso) => {
    const time = Date.parse(iso);
    return Number.isNaN(time) ? iso : `${TIME_FORMAT.format(time)} UTC`;
  },

  asks: ({ agent, isApproval, isOpen }) => {
    if (agent === undefined) return isOpen ? "Sie werden gefragt" : "Sie wurden gefragt";
    if (isApproval)
      return (
        <>
          Der Agent {agent} {isOpen ? "bittet" : "bat"} um Ihre Freigabe
        </>
      );
    return (
      <>
        Der Agent {agent} {isOpen ? "fragt" : "fragte"} Sie
      </>
    );
  },
  askedOn: (time) => <>Gefragt am {time}</>,
  openUntil: (time) => <>Offen bis {time}</>,
  formHeadline: (questions) =>
    questions === 1 ? "Eine Frage an Sie" : `${questions} Fragen an Sie`,
  approvalHeadline: (tool) => `${tool} ausführen?`,
  why: "Warum gefragt wird",
  goToAnswer: "Zur Antwort ↓",
  markdown: {
    table: "Tabelle",
    image: "Bild",
    footnotes: "Fußnoten",
    backToText: "Zurück zum Text",
  },
  whatToolIsGiven: (tool) => <>Womit {tool} ausgeführt würde</>,
  arguments: "Argumente",

  reply: "Antwort",
  yourAnswer: "Ihre Antwort",
  chooseOne: "Wählen Sie eine Möglichkeit",
  chooseSome: "Wählen Sie eine oder mehrere Möglichkeiten",
  chooseSomeOrOwnWords: "Wählen Sie eine oder mehrere, oder antworten Sie mit eigenen Worten.",
  ownWords: "Mit eigenen Worten",
  ownWordsHint: "Eine Anmerkung zu Ihrer Wahl, oder eine Antwort ohne Wahl.",
  noteOptional: "Anmerkung (freiwillig)",
  noneOfThese: { title: "Nichts davon", text: "Ich antworte mit eigenen Worten." },
  wholeReply: "Antwort auf das ganze Formular (freiwillig)",
  wholeReplyHint: "Mit einer Antwort hier dürfen Fragen offen bleiben.",
  sendAnswer: "Antwort senden",
  answeringAs: (who) => <>Sie antworten als {who}.</>,
  cannotAnswer: {
    title: "Sie können das nicht beantworten?",
    text: "Weisen Sie die Frage zurück. Wer gefragt hat, erfährt es.",
  },
  reasonOptional: "Grund (freiwillig)",
  decline: "Zurückweisen",
  approveAsShown: {
    title: "So freigeben?",
    text: "Es wird genau mit diesen Argumenten ausgeführt, und nur, wenn Sie es freigeben.",
  },
  approveOrChange: {
    title: "Freigeben?",
    text: "Es wird nur ausgeführt, wenn Sie es freigeben: mit den gezeigten Argumenten, oder so, wie Sie sie hier ändern.",
  },
  changeArguments: "Zuerst die Argumente ändern",
  approve: "Freigeben",
  denyReason: {
    title: "Grund der Ablehnung (freiwillig)",
    text: "Der Agent erfährt ihn und macht ohne die Ausführung weiter.",
  },
  deny: "Ablehnen",

  optional: "(freiwillig)",
  yes: "Ja",
  no: "Nein",
  noAnswer: "Keine Angabe",
  choose: "Bitte wählen …",
  emptyText: "(leer)",
  oneALine: "Eines je Zeile.",
  asJson: "Schreiben Sie es als JSON.",
  whatItMayBe: "Was es sein darf",
  inUtc: "In UTC.",
  lengthHint: (bounds) => range(bounds, "Zeichen", "Zeichen"),
  numberHint: numberHint,
  itemsHint: (bounds) => range(bounds, "Eintrag", "Einträge"),
  patternHint: (pattern) => <>In der Form {pattern}</>,

  nothingRecorded: "Noch ist nichts gespeichert",
  notRecordedTitle: "Nicht gespeichert: ",
  recordedTitle: "Gespeichert: ",
  sendAgain: {
    title: "Bitte senden Sie es noch einmal",
    text: "Diese Seite war zu lange offen, darum wurde nichts gespeichert. Was Sie eingegeben haben, steht noch unten.",
  },
  issue: germanIssue,
  issues: {
    writeAnswer: "Schreiben Sie eine Antwort.",
    fillIn: "Füllen Sie dieses Feld aus.",
    chooseHere: "Wählen Sie eine dieser Möglichkeiten.",
    chooseSomeHere: "Wählen Sie eine oder mehrere dieser Möglichkeiten.",
    chooseOption: "Wählen Sie eine Möglichkeit.",
    chooseOptionOrWrite: "Wählen Sie eine Möglichkeit, oder antworten Sie mit eigenen Worten.",
    chooseShown: "Wählen Sie unter den gezeigten Möglichkeiten.",
    noteNotAlone:
      "Wählen Sie eine Möglichkeit. Eine Anmerkung kann dabeistehen, aber nicht allein.",
    notBoth: "Wählen Sie eine Möglichkeit, oder antworten Sie mit eigenen Worten, nicht beides.",
    answerOrReply:
      "Beantworten Sie diese Frage, oder schreiben Sie unten eine Antwort auf das ganze Formular.",
    approveOrDeny: "Wählen Sie Freigeben oder Ablehnen.",
    notJson: "Das ist kein JSON. Prüfen Sie Anführungszeichen, Kommas und Klammern.",
    enterNumber: "Geben Sie eine Zahl ein.",
    enterWholeNumber: "Geben Sie eine ganze Zahl ein.",
    enterEmail: "Geben Sie eine E-Mail-Adresse ein, etwa name@example.com.",
    enterUrl: "Geben Sie eine ganze Webadresse ein, etwa https://example.com.",
    enterDate: "Geben Sie ein Datum ein.",
    enterTime: "Geben Sie Datum und Uhrzeit ein.",
  },
  entry: (n) => `Eintrag ${n}`,

  recorded: { title: "Gespeichert. Vielen Dank.", text: "Sie können diese Seite schließen." },
  agentGoesOn: "Der Agent macht von hier an weiter.",
  notYours: {
    title: "Ihre Antwort wurde nicht gespeichert",
    text: "Die Frage war schon beendet, bevor sie ankam. So kam es dazu:",
  },
  endings: {
    answered: "Die Antwort",
    approved: "Freigegeben",
    denied: "Abgelehnt",
    declined: "Zurückgewiesen",
    cancelled: "Zurückgezogen",
    expired: "Abgelaufen",
  },
  ended,
  cameLate: "Die Antwort kam, als der Agent nicht mehr auf sie wartete.",
  reason: "Grund",
  theAnswer: "Die Antwort",
  wholeReplyGiven: "Antwort auf das ganze Formular",
  approvedWithChanges: "Mit geänderten Argumenten freigegeben:",
  changedArguments: "Geänderte Argumente",

  notices: {
    notFound: {
      title: "Hier ist keine Frage",
      text: "Der Link wurde vielleicht unterwegs abgeschnitten, oder die Frage wurde jemand anderem gegeben. Öffnen Sie ihn noch einmal aus der Nachricht, in der er kam.",
    },
    expired: {
      title: "Dieser Link ist abgelaufen",
      text: "Er galt nur eine begrenzte Zeit. Wenn die Frage noch wichtig ist, bitten Sie um einen neuen Link.",
    },
    tooManyTries: {
      title: "Zu viele Versuche",
      text: "Dieser Link wurde in der letzten Minute sehr oft benutzt. Warten Sie eine Minute, gehen Sie zurück und senden Sie Ihre Antwort noch einmal.",
    },
    foreignOrigin: {
      title: "Das kam von einer anderen Website",
      text: "Eine Antwort wird nur von der Seite ihres eigenen Links angenommen, und es wurde nichts gespeichert. Öffnen Sie den Link selbst und antworten Sie dort.",
    },
    wrongMethod: {
      title: "Diese Seite kann man nur öffnen oder beantworten",
      text: "Es wurde nichts gespeichert. Öffnen Sie den Link in einem Browser.",
    },
    tooLarge: {
      title: "Das ist zu viel",
      text: "Was gesendet wurde, ist größer, als eine Antwort sein kann, und es wurde nichts gespeichert. Gehen Sie zurück und kürzen Sie es.",
    },
    unreadable: {
      title: "Das war nicht lesbar",
      text: "Was gesendet wurde, ist nicht das Formular dieser Seite, und es wurde nichts gespeichert. Gehen Sie zurück und versuchen Sie es noch einmal.",
    },
    notConfigured: {
      title: "Links sind hier nicht eingerichtet",
      text: "Wer dieses Holdpoint betreibt, muss das Secret LINK_SECRET setzen, bevor Fragen über einen Link geöffnet werden können.",
    },
    unavailable: {
      title: "Die Frage ist gerade nicht erreichbar",
      text: "Ihre Antwort wurde vielleicht gespeichert, vielleicht nicht. Versuchen Sie es gleich noch einmal: Dieselbe Antwort zweimal zu senden schadet nicht.",
    },
    failed: {
      title: "Bei uns ist etwas schiefgegangen",
      text: "Es wurde vermerkt. Versuchen Sie es gleich noch einmal: Dieselbe Antwort zweimal zu senden schadet nicht.",
    },
  },
};

function ended(status: SettledStatus, { by, at, via }: EndingFacts) {
  const when = at === undefined ? null : <> am {at}</>;
  switch (status) {
    case "answered":
      return by === "default" ? (
        <>Diese Frage wurde{when} mit der vorgesehenen Antwort beantwortet, weil niemand kam.</>
      ) : (
        <>
          Diese Frage wurde{whoEnded(by)}
          {when}
          {by === "link" ? "" : sayDoor(via, "auf dieser Seite")} beantwortet.
        </>
      );
    case "declined":
      return (
        <>
          Diese Frage wurde{whoEnded(by)}
          {when}
          {by === "link" ? "" : sayDoor(via, "auf dieser Seite")} zurückgewiesen.
        </>
      );
    case "cancelled":
      return (
        <>
          Diese Frage wurde{whoEnded(by)}
          {when} zurückgezogen.
        </>
      );
    case "expired":
      return <>Diese Frage ist{when} abgelaufen, weil rechtzeitig keine Antwort kam.</>;
  }
}

function whoEnded(by: EndingFacts["by"]) {
  switch (by) {
    case "nobody":
    case "default":
      return null;
    case "link":
      return " über den Link";
  }
  return by.isReader ? <> von Ihnen ({by.name})</> : <> von {by.name}</>;
}

function range({ min, max }: Bounds, one: string, many: string): string {
  const unit = (count: number) => (count === 1 ? one : many);
  if (min !== undefined && max !== undefined)
    return min === max ? `${min} ${unit(max)}.` : `${min} bis ${max} ${unit(max)}.`;
  if (max !== undefined) return `Höchstens ${max} ${unit(max)}.`;
  return min === undefined ? "" : `Mindestens ${min} ${unit(min)}.`;
}

function numberHint({ min, max, above, below, step }: NumberBounds): string {
  const parts = [
    min !== undefined && max !== undefined ? `${written(min)} bis ${written(max)}` : undefined,
    min !== undefined && max === undefined ? `mindestens ${written(min)}` : undefined,
    min === undefined && max !== undefined ? `höchstens ${written(max)}` : undefined,
    above === undefined ? undefined : `mehr als ${written(above)}`,
    below === undefined ? undefined : `weniger als ${written(below)}`,
    step === undefined ? undefined : `in Schritten von ${written(step)}`,
  ].filter((part) => part !== undefined);
  const hint = parts.join(", ");
  return hint === "" ? "" : `${hint.slice(0, 1).toUpperCase()}${hint.slice(1)}.`;
}

function written(number: number | string): string {
  return String(number).replace(".", ",");
}
