/** Owns: chance that comes again with its seed. */

export class Random {
  #state: number;

  /** The same words give the same chance: streams of their own for what must not depend on one another. */
  constructor(...words: readonly (string | number)[]) {
    this.#state = hash(words.join(" "));
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** From 0 to `count` - 1. */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  happens(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    const picked = list[this.below(list.length)];
    if (picked === undefined) throw new Error("there is nothing to pick from");
    return picked;
  }

  /** By weights, e.g. `{ common: 9, rare: 1 }`. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const entries = Object.entries<number>(weights) as [Name, number][];
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name;
    }
    throw new Error("there is nothing to weigh");
  }
}

function hash(text: string): number {
  let mixed = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1)
    mixed = Math.imul(mixed ^ text.charCodeAt(at), 0x01000193);
  return mixed | 0;
}
