/**
 * Owns: durations as people write them in configuration and queries: a whole number and its unit, so that no two sides
 * can take seconds for milliseconds.
 */

import * as z from "zod";

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `500ms`, `30s`, `15m`, `4h`, `2d` → milliseconds. */
export const durationSchema = z
  .string()
  .regex(
    // Twelve digits of milliseconds say as long a time as nine of seconds.
    /^(?:[0-9]{1,12}ms|[0-9]{1,9}[smhd])$/,
    "must be a whole number with its unit: ms, s, m, h or d, such as 4h",
  )
  .transform((text) => {
    const unit = /[a-z]+$/.exec(text)?.[0] as keyof typeof UNIT_MS;
    return Number.parseInt(text, 10) * UNIT_MS[unit];
  });
