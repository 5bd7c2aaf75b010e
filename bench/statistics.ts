/**
 * Owns: what is made of several measurements of one thing.
 */

export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** The median with the lowest and the highest of all. */
export function spreadOf(values: readonly number[]): Spread {
  return {
    median: percentile(values, 50),
    low: percentile(values, 0),
    high: percentile(values, 100),
  };
}

export function medianOf(values: readonly number[]): number {
  return percentile(values, 50);
}

/** Between two values it is as far as the percentage says. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  const place = (sorted.length - 1) * (percent / 100);
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}
