/**
 * Owns: core's words for what is wrong with an answer, which are English, in German. A test holds that none is left out.
 */

/** Core's words, and what they are in German; `$1` and `$2` are what the words hold. The first that fits is taken. */
const ISSUES: readonly (readonly [RegExp, string])[] = [
  [/^is missing/, "Das fehlt."],
  [/^must have the property (.*)$/, "Hier fehlt $1."],
  [/^must be at least (\S+)$/, "Der Wert muss mindestens $1 sein."],
  [/^must be at most (\S+)$/, "Der Wert darf höchstens $1 sein."],
  [/^must be more than (\S+)$/, "Der Wert muss größer als $1 sein."],
  [/^must be less than (\S+)$/, "Der Wert muss kleiner als $1 sein."],
  [/^must be a multiple of (\S+)$/, "Der Wert muss ein Vielfaches von $1 sein."],
  [/^must be at least (\S+) characters$/, "Schreiben Sie mindestens $1 Zeichen."],
  [/^must be at most (\S+) characters$/, "Schreiben Sie höchstens $1 Zeichen."],
  [/^must be (\S+) to (\S+) characters, not blank$/, "Schreiben Sie $1 bis $2 Zeichen."],
  [/^must be (\S+) characters, not blank$/, "Schreiben Sie $1 Zeichen."],
  [/^must have at least (\S+) items$/, "Es müssen mindestens $1 sein."],
  [/^must have at most (\S+) items$/, "Es dürfen höchstens $1 sein."],
  [/^must have at least (\S+) properties$/, "Es müssen mindestens $1 Angaben sein."],
  [/^must have at most (\S+) properties$/, "Es dürfen höchstens $1 Angaben sein."],
  [/^must have the format (.*)$/, "Das muss die Form „$1“ haben."],
  [/^must match the pattern/, "Das hat nicht die verlangte Form."],
  [/^must be of type (.*)$/, "Das muss vom Typ $1 sein."],
  [/^must be one of (.*)$/, "Das muss eines hiervon sein: $1"],
  [/^must be a string$/, "Das muss ein Text sein."],
  [/^must be well-formed Unicode/, "Der Text enthält ein halbes Zeichen."],
  [/^must not hold the same item twice$/, "Nichts darf doppelt vorkommen."],
  [/^must not have a property/, "Ein Name darin ist nicht erlaubt."],
  [/^must hold more items/, "Es müssen mehr Einträge der verlangten Form sein."],
  [/^must hold fewer items/, "Es müssen weniger Einträge dieser Form sein."],
  [/^must hold an item/, "Ein Eintrag der verlangten Form fehlt."],
  [/^must fit at least one of the allowed forms$/, "Das passt zu keiner der erlaubten Formen."],
  [/^must fit exactly one of the allowed forms$/, "Das muss zu genau einer erlaubten Form passen."],
  [/^must not be of the form/, "Diese Form ist ausgeschlossen."],
  [/^is not allowed/, "Das ist hier nicht erlaubt."],
  [/^does not fit its schema$/, "Das passt nicht."],
  [
    /^must be (?:labels|a string, or) /,
    "Wählen Sie Möglichkeiten oder eigene Worte, nicht beides.",
  ],
  [/^must use one label/, "Wählen Sie eine Möglichkeit."],
  [/^must name no option twice$/, "Wählen Sie jede Möglichkeit höchstens einmal."],
  [/^must be left out/, "Das kann hier nicht angegeben werden."],
  [/^must be (?:at most|shorter).* bytes/, "Das ist zu lang."],
  [/^must not nest deeper/, "Das ist zu tief verschachtelt."],
  [/^takes too long to check/, "Das zu prüfen dauert zu lange. Machen Sie es kleiner."],
  [/^can't be checked/, "Das kann nicht geprüft werden."],
  [/^the tool is no longer there$/, "Dieses Werkzeug gibt es nicht mehr."],
  [/^is not a button of this form$/, "Diese Schaltfläche hat das Formular nicht."],
  [/^must be (".*"|\S+)$/s, "Das muss $1 sein."],
];

export function germanIssue(message: string): string {
  const known = ISSUES.find(([words]) => words.test(message));
  if (known !== undefined) return message.replace(wholeOf(known[0]), known[1]);
  // A tool's own check says it in words of its own.
  return `Das wird so nicht angenommen: ${message}`;
}

function wholeOf(words: RegExp): RegExp {
  return new RegExp(words.source.endsWith("$") ? words.source : `${words.source}.*$`, "s");
}
