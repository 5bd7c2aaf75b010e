/**
 * Owns: the platform's list prices in US dollars, of its paid plan and beyond what that plan includes, as
 * developers.cloudflare.com/workers/platform/pricing and …/durable-objects/platform/pricing had them in November 2026; and
 * what is made of them with what was measured.
 */

import type { CycleCounts } from "./rows.ts";

const MILLION = 1_000_000;
const GIGABYTE = 1_000_000_000;

export const PRICES = {
  workerRequest: 0.3 / MILLION,
  workerCpuMs: 0.02 / MILLION,
  objectRequest: 0.15 / MILLION,
  /** An object is billed with 128 MB while it runs. */
  objectSecond: (12.5 / MILLION) * 0.128,
  rowWritten: 1 / MILLION,
  rowRead: 0.001 / MILLION,
  storedByteMonth: 0.2 / GIGABYTE,
} as const;

/** Start, answer, read. */
export const WORKER_REQUESTS = 3;

export interface Cost {
  readonly name: string;
  readonly workerRequests: number;
  readonly cpuMs: number;
  readonly objectRequests: number;
  readonly objectMs: number;
  readonly rowsWritten: number;
  readonly rowsRead: number;
  readonly dollars: number;
}

/** Of one question, from its turn's start until its end is read. */
export function costOf(name: string, counts: CycleCounts, cpuMs: number, objectMs: number): Cost {
  const all = Object.values(counts);
  const sum = (of: (counts: CycleCounts[string]) => number): number =>
    all.reduce((total, each) => total + of(each), 0);
  const objectRequests = sum(({ requests }) => requests);
  const rowsWritten = sum((each) => each.rowsWritten);
  const rowsRead = sum((each) => each.rowsRead);
  return {
    name,
    workerRequests: WORKER_REQUESTS,
    cpuMs,
    objectRequests,
    objectMs,
    rowsWritten,
    rowsRead,
    dollars:
      WORKER_REQUESTS * PRICES.workerRequest +
      cpuMs * PRICES.workerCpuMs +
      objectRequests * PRICES.objectRequest +
      (objectMs / 1_000) * PRICES.objectSecond +
      rowsWritten * PRICES.rowWritten +
      rowsRead * PRICES.rowRead,
  };
}

/** A turn that is parked for a year is stored, and nothing else. */
export function parkedYear(bytes: number): number {
  return bytes * PRICES.storedByteMonth * 12;
}
