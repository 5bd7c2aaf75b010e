/**
 * Owns: what the demo model reads in a message about a loan (application, income, debt, whether a mail is wanted), and
 * the desk's policy. Does not own: what is then said or done (`demo-model.ts`).
 */

export const APPROVES_UP_TO_PERCENT = 36;
export const DECLINES_ABOVE_PERCENT = 50;

export interface LoanRequest {
  readonly applicationId: string | undefined;
  readonly income: number | undefined;
  readonly debt: number | undefined;
  /** One figure is said to be of a year, the other of a month. */
  readonly mixesPeriods: boolean;
  readonly wantsMail: boolean;
  readonly mailAddress: string | undefined;
}

export type Verdict = "approve" | "decline" | "refer";

export interface Assessment {
  readonly verdict: Verdict;
  /** As it is said, e.g. `47%`. */
  readonly ratio: string;
}

/** More than this is a slip of the pen. */
const AMOUNT_MAX = 1e12;

export function readLoanRequest(text: string): LoanRequest {
  const mailAddress = ADDRESS.exec(text)?.[0];
  const words = text.replaceAll(RATIO_PHRASE, " ");
  return {
    ...readFigures(words),
    applicationId: /\b[A-Z]{1,32}-\d{1,32}\b/.exec(text)?.[0],
    mixesPeriods: YEARLY.test(words) && MONTHLY.test(words),
    wantsMail: asksForMail(text),
    mailAddress,
  };
}

/** What is wrong with the figures, as a sentence's end; undefined where they can be judged. */
export function figuresProblem(request: LoanRequest): string | undefined {
  const { income, debt, mixesPeriods } = request;
  if (income === undefined) return "the income is missing";
  if (debt === undefined) return "the debt is missing";
  if (mixesPeriods) return "one figure is of a year and the other of a month";
  if (income === 0) return "an income of 0 gives no debt-to-income ratio";
  if (income < 0) return "an income below 0 can't be right";
  if (debt < 0) return "a debt below 0 can't be right";
  if (income > AMOUNT_MAX || debt > AMOUNT_MAX)
    return "a figure above a million millions can't be right";
  return undefined;
}

export function assess(income: number, debt: number): Assessment {
  const verdict = verdictOf(toHundredths(debt) * 100, toHundredths(income));
  const percent = (debt / income) * 100;
  // Rounding must not carry a ratio over a line of the policy: 36.04% isn't said as 36%.
  for (let decimals = 1; decimals < 10; decimals += 1) {
    const rounded = Number(percent.toFixed(decimals));
    if (verdictOf(rounded, 1) === verdict) return { verdict, ratio: `${rounded}%` };
  }
  return { verdict, ratio: `${percent}%` };
}

function verdictOf(debtTimesHundred: number, income: number): Verdict {
  if (debtTimesHundred <= income * APPROVES_UP_TO_PERCENT) return "approve";
  return debtTimesHundred > income * DECLINES_ABOVE_PERCENT ? "decline" : "refer";
}

/** Whole hundredths, so that a ratio of exactly 36% with decimals in its figures is not lost to binary fractions. */
function toHundredths(amount: number): number {
  return Math.round(amount * 100);
}

// Reading figures. An amount is found by the word that names it: before the number ("income 5000") or after it
// ("5000 income"). What stands between may not hold another number, a clause's end, or the other word.
const CURRENCY = "(?:[$€£¥]|\\b(?:USD|EUR|GBP|CHF))";
const SIGN = "(?<sign>(?<!\\w)[-\\u2212](?=[$€£¥]?\\d))?";
const DIGITS = "\\d{1,3}(?:[ \\u00a0\\u202f'’_]\\d{3})+(?:[.,]\\d+)?(?!\\d)|\\d[\\d.,]*";
const AMOUNT = `${SIGN}(?:${CURRENCY}\\s?(?<inner>[-\\u2212])?)?(?<digits>${DIGITS})(?<thousands>\\s?k\\b)?(?![.,]?\\d|\\s*%)`;
const BETWEEN = "(?:(?!\\bincomes?\\b|\\bdebts?\\b)[^\\d,;.!?\\n]){0,40}?";

const INCOME = { before: wordFirst("incomes?"), after: wordLast("incomes?") };
const DEBT = { before: wordFirst("debts?"), after: wordLast("debts?") };
const RATIO_PHRASE = /\bdebt[- ]to[- ]income(?:[- ]ratio)?\b/gi;
const YEARLY = /\b(?:annual(?:ly)?|yearly|(?:per|a) year|per annum)\b/i;
const MONTHLY = /\b(?:monthly|(?:per|a) month)\b/i;

function wordFirst(word: string): RegExp {
  return new RegExp(`\\b${word}\\b${BETWEEN}${AMOUNT}`, "i");
}

/** The digits of an application's id are no amount. */
function wordLast(word: string): RegExp {
  return new RegExp(`(?<![\\w.,]|[A-Za-z]-)${AMOUNT}${BETWEEN}\\b${word}\\b`, "i");
}

interface Figures {
  readonly income: number | undefined;
  readonly debt: number | undefined;
}

/** One way of writing is taken for both figures where it gives both: "5000 income, 2350 debt" has its words last. */
function readFigures(text: string): Figures {
  const first = { income: amountIn(INCOME.before, text), debt: amountIn(DEBT.before, text) };
  if (first.income !== undefined && first.debt !== undefined) return first;
  const last = { income: amountIn(INCOME.after, text), debt: amountIn(DEBT.after, text) };
  if (last.income !== undefined && last.debt !== undefined) return last;
  return { income: first.income ?? last.income, debt: first.debt ?? last.debt };
}

function amountIn(pattern: RegExp, text: string): number | undefined {
  const groups = pattern.exec(text)?.groups;
  const digits = groups?.["digits"];
  if (groups === undefined || digits === undefined) return undefined;
  const size = parseAmount(digits) * (groups["thousands"] === undefined ? 1 : 1_000);
  return groups["sign"] === undefined && groups["inner"] === undefined ? size : -size;
}

/** Commas and points group or divide: the last of two kinds divides, and one alone does unless three digits follow it. */
function parseAmount(digits: string): number {
  const text = digits.replaceAll(/[^\d.,]/g, "").replace(/[.,]+$/, "");
  const divider = /^(?:[\d.]*|[\d,]*)$/.test(text) ? loneDivider(text) : lastMark(text);
  if (divider === -1) return Number(text.replaceAll(/[.,]/g, ""));
  return Number(`${text.slice(0, divider).replaceAll(/[.,]/g, "")}.${text.slice(divider + 1)}`);
}

function loneDivider(text: string): number {
  const at = lastMark(text);
  const isAlone = at !== -1 && text.search(/[.,]/) === at;
  return isAlone && !/^[1-9]\d{0,2}[.,]\d{3}$/.test(text) ? at : -1;
}

function lastMark(text: string): number {
  return Math.max(text.lastIndexOf("."), text.lastIndexOf(","));
}

// Every repeat is bounded, since a message may be a quarter of a million characters of anything.
const ADDRESS = /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/;
const MAIL_WORD = /\be?-?mail(?:s|ed)?\b/i;
const NO_MAIL = /\b(?:no|not|don'?t|don’t|never|without)\b[^.;,!?\n]{0,30}?\be?-?mail/i;

function asksForMail(text: string): boolean {
  const words = text.replaceAll(new RegExp(ADDRESS, "g"), " ");
  return MAIL_WORD.test(words) && !NO_MAIL.test(words);
}
