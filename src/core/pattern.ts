/**
 * Owns: the regular expressions of JSON Schema (ECMAScript with the flag u), matched with bounded work: the engine's own
 * RegExp goes back without bounds, so that a short pattern and a short text can take it years. Only whether a text matches
 * is asked, so a state that was left once at a place of the text is never tried there again, and the work grows with the
 * text. Does not own: what one character matches, which the engine's RegExp says.
 */

import { PATTERN_REPEATS, PATTERN_STATES } from "./limits.ts";

/** How many more steps may be taken; a match that needs more throws StepsExhausted. */
export interface Meter {
  left: number;
}

export class StepsExhausted extends Error {}

export interface Pattern {
  matches(text: string, meter: Meter): boolean;
}

/** The pattern, or what is wrong with it, to stand after "must have patterns ". */
export function readPattern(source: string): Pattern | string {
  try {
    RegExp(source, "u");
  } catch {
    return "that are regular expressions of ECMAScript with the flag u";
  }
  try {
    const program = new Program();
    const start = program.add(new Parser(source).whole(), MATCH, false);
    return { matches: (text, meter) => new Run(program, text, meter).search(start) };
  } catch (error) {
    if (error instanceof NotSupported) return error.message;
    throw error;
  }
}

class NotSupported extends Error {}

type CharacterTest = (codePoint: number) => boolean;

type Node =
  | { readonly is: "character"; readonly test: CharacterTest }
  | { readonly is: "sequence" | "choice"; readonly nodes: readonly Node[] }
  | { readonly is: "repeat"; readonly node: Node; readonly min: number; readonly max: number }
  | { readonly is: "edge"; readonly edge: string }
  | { readonly is: "look"; readonly node: Node; readonly behind: boolean; readonly not: boolean };

/** Reads what RegExp has found to be well formed, so nothing is checked here but what is not supported. */
class Parser {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  whole(): Node {
    const choices = [this.#sequence()];
    while (this.#takes("|")) choices.push(this.#sequence());
    return { is: "choice", nodes: choices };
  }

  #sequence(): Node {
    const nodes: Node[] = [];
    while (this.#at < this.#source.length && !"|)".includes(this.#source.charAt(this.#at)))
      nodes.push(this.#term());
    return { is: "sequence", nodes };
  }

  #term(): Node {
    if (this.#takes("^")) return { is: "edge", edge: "^" };
    if (this.#takes("$")) return { is: "edge", edge: "$" };
    if (this.#takes("\\b")) return { is: "edge", edge: "b" };
    if (this.#takes("\\B")) return { is: "edge", edge: "B" };
    return this.#repeated(this.#takes("(") ? this.#group() : this.#character());
  }

  #group(): Node {
    const look = this.#match(/\?(<?)([=!])/y);
    if (look === undefined && this.#match(/\?[^:<]/y) !== undefined)
      throw new NotSupported("without flags of their own inside");
    if (look === undefined) this.#match(/\?(?::|<[^>]*>)/y);
    const node = this.whole();
    this.#takes(")");
    if (look === undefined) return node;
    return { is: "look", node, behind: look[1] === "<", not: look[2] === "!" };
  }

  #character(): Node {
    if (this.#match(/\\(?:[1-9]|k)/y) !== undefined)
      throw new NotSupported("without references back to a group");
    const [raw = ""] = this.#match(CHARACTER) ?? [];
    return { is: "character", test: characterTest(raw) };
  }

  #repeated(node: Node): Node {
    const [, sign, from, comma, to] = this.#match(/(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/y) ?? [];
    if (sign !== undefined)
      return { is: "repeat", node, min: sign === "+" ? 1 : 0, max: sign === "?" ? 1 : Infinity };
    if (from === undefined) return node;
    const min = Number(from);
    if (comma === "") return { is: "repeat", node, min, max: min };
    return { is: "repeat", node, min, max: to === "" ? Infinity : Number(to) };
  }

  #takes(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    const sticky = new RegExp(pattern.source, "suy");
    sticky.lastIndex = this.#at;
    const match = sticky.exec(this.#source);
    this.#at += match?.[0].length ?? 0;
    return match ?? undefined;
  }
}

/** One character as it is written: an escape, a class, or itself. */
const CHARACTER =
  /\\u\{[^}]*\}|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\x..|\\c.|\\[pP]\{[^}]*\}|\\.|\[(?:\\.|[^\]\\])*\]|./y;

const ASCII = 128;

function characterTest(raw: string): CharacterTest {
  const [only] = raw;
  if (only === raw && raw !== ".") {
    const wanted = raw.codePointAt(0);
    return (codePoint) => codePoint === wanted;
  }
  const native = new RegExp(`^${raw}$`, "u");
  const test = (codePoint: number): boolean => native.test(String.fromCodePoint(codePoint));
  const known: boolean[] = [];
  return (codePoint) => {
    if (codePoint >= ASCII) return test(codePoint);
    return (known[codePoint] ??= test(codePoint));
  };
}

type State =
  | { readonly is: "match" }
  | {
      readonly is: "character";
      readonly test: CharacterTest;
      readonly next: number;
      readonly back: boolean;
    }
  | { readonly is: "edge"; readonly edge: string; readonly next: number }
  | { readonly is: "look"; readonly start: number; readonly not: boolean; readonly next: number }
  | { readonly is: "split"; ways: readonly number[]; readonly slot: number };

/** The state in which a match is complete. */
const MATCH = 0;

/** A pattern as states, each of which knows the next. They are added from the end to the beginning. */
class Program {
  readonly states: State[] = [{ is: "match" }];
  splits = 0;

  /** Adds what leads through `node` to the state `next`; `back`: from right to left, as what looks behind is read. */
  add(node: Node, next: number, back: boolean): number {
    switch (node.is) {
      case "character":
        return this.#push({ is: "character", test: node.test, next, back });
      case "edge":
        return this.#push({ is: "edge", edge: node.edge, next });
      case "sequence": {
        const nodes = back ? node.nodes : node.nodes.toReversed();
        return nodes.reduce((then, each) => this.add(each, then, back), next);
      }
      case "choice":
        return node.nodes.length === 1 && node.nodes[0] !== undefined
          ? this.add(node.nodes[0], next, back)
          : this.#split(node.nodes.map((each) => this.add(each, next, back)));
      case "look": {
        const start = this.add(node.node, MATCH, node.behind);
        return this.#push({ is: "look", start, not: node.not, next });
      }
      case "repeat":
        return this.#repeat(node.node, node.min, node.max, next, back);
    }
  }

  #repeat(node: Node, min: number, max: number, next: number, back: boolean): number {
    if (Math.max(min, max === Infinity ? 0 : max) > PATTERN_REPEATS)
      throw new NotSupported(`that repeat a part at most ${PATTERN_REPEATS} times by number`);
    let entry = next;
    if (max === Infinity) {
      const loop: Extract<State, { is: "split" }> = { is: "split", ways: [], slot: this.splits };
      this.splits += 1;
      entry = this.#push(loop);
      loop.ways = [this.add(node, entry, back), next];
    } else
      for (let more = min; more < max; more += 1)
        entry = this.#split([this.add(node, entry, back), next]);
    for (let more = 0; more < min; more += 1) entry = this.add(node, entry, back);
    return entry;
  }

  #split(ways: readonly number[]): number {
    this.splits += 1;
    return this.#push({ is: "split", ways, slot: this.splits - 1 });
  }

  #push(state: State): number {
    if (this.states.length >= PATTERN_STATES)
      throw new NotSupported("that are simpler: repetitions inside one another multiply");
    this.states.push(state);
    return this.states.length - 1;
  }
}

const BITS = 8;

class Run {
  readonly #program: Program;
  readonly #text: readonly number[];
  readonly #meter: Meter;

  constructor(program: Program, text: string, meter: Meter) {
    this.#program = program;
    this.#meter = meter;
    this.#spend(text.length);
    this.#text = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  }

  /** Whether the pattern matches somewhere in the text. */
  search(start: number): boolean {
    const tried = this.#nothingTried();
    for (let at = 0; at <= this.#text.length; at += 1)
      if (this.#matchesAt(start, at, tried)) return true;
    return false;
  }

  #matchesAt(start: number, from: number, tried: Uint8Array): boolean {
    const states = [start];
    const places = [from];
    for (;;) {
      const state = this.#program.states[states.pop() ?? -1];
      let at = places.pop();
      if (state === undefined || at === undefined) return false;
      this.#spend(1);
      switch (state.is) {
        case "match":
          return true;
        case "character": {
          const codePoint = this.#text[state.back ? at - 1 : at];
          if (codePoint === undefined || !state.test(codePoint)) continue;
          at += state.back ? -1 : 1;
          states.push(state.next);
          break;
        }
        case "edge":
          if (!this.#isEdge(state.edge, at)) continue;
          states.push(state.next);
          break;
        case "look":
          if (this.#matchesAt(state.start, at, this.#nothingTried()) === state.not) continue;
          states.push(state.next);
          break;
        case "split": {
          // Tried here before: whatever follows did not match then, and does not match now.
          const bit = state.slot * (this.#text.length + 1) + at;
          const byte = Math.floor(bit / BITS);
          const mask = 1 << (bit % BITS);
          if (((tried[byte] ?? 0) & mask) !== 0) continue;
          tried[byte] = (tried[byte] ?? 0) | mask;
          for (const way of state.ways) {
            states.push(way);
            places.push(at);
          }
          continue;
        }
      }
      places.push(at);
    }
  }

  #isEdge(edge: string, at: number): boolean {
    switch (edge) {
      case "^":
        return at === 0;
      case "$":
        return at === this.#text.length;
      default:
        return (this.#isWord(at - 1) !== this.#isWord(at)) === (edge === "b");
    }
  }

  #isWord(at: number): boolean {
    const codePoint = this.#text[at];
    return codePoint !== undefined && WORD(codePoint);
  }

  #nothingTried(): Uint8Array {
    const bytes = Math.ceil((this.#program.splits * (this.#text.length + 1)) / BITS);
    this.#spend(Math.ceil(bytes / BITS));
    return new Uint8Array(bytes);
  }

  #spend(steps: number): void {
    this.#meter.left -= steps;
    if (this.#meter.left < 0) throw new StepsExhausted();
  }
}

const WORD = characterTest("\\w");
