/**
 * Owns: how much is measured, in a full run and in a quick one.
 */

export interface Plan {
  /** Rounds in which all are measured one after another, so that what else the machine does hits all alike. */
  readonly rounds: number;
  /** How long each system runs before the first round. */
  readonly warmMs: number;
  /** No further round begins after this time, but for the second. */
  readonly roundsMs: number;
  /** How long a system runs again before each measure, since others were measured meanwhile. */
  readonly againMs: number;
  /** How long nothing is asked before a measure, so that what the one before left to do is not counted with it. */
  readonly pauseMs: number;
  /** Sessions of each caller in a round of fresh ones. */
  readonly freshEach: number;
  /** How long sessions that are there are cycled through, at least: work that comes in bursts is averaged. */
  readonly existingMs: number;
  /** Cycles of one caller alone in a round, whose times are latencies. */
  readonly aloneCycles: number;
  /** Questions in one session, and in one of a peer, which may take a multiple of the time. */
  readonly growth: number;
  readonly peerGrowth: number;
  readonly parkedForDisk: number;
  readonly parkedForMemory: number;
  readonly peerParkedForMemory: number;
  readonly wakings: number;
  readonly starts: number;
  readonly tellSeconds: number;
}

export const FULL: Plan = {
  rounds: 8,
  warmMs: 15_000,
  roundsMs: 480_000,
  againMs: 1_000,
  pauseMs: 2_000,
  freshEach: 8,
  existingMs: 3_000,
  aloneCycles: 200,
  growth: 500,
  peerGrowth: 100,
  parkedForDisk: 20,
  parkedForMemory: 600,
  peerParkedForMemory: 150,
  wakings: 100,
  starts: 5,
  tellSeconds: 5,
};

export const QUICK: Plan = {
  rounds: 5,
  warmMs: 8_000,
  roundsMs: 60_000,
  againMs: 500,
  pauseMs: 2_000,
  freshEach: 4,
  existingMs: 2_000,
  aloneCycles: 60,
  growth: 500,
  peerGrowth: 50,
  parkedForDisk: 10,
  parkedForMemory: 200,
  peerParkedForMemory: 60,
  wakings: 40,
  starts: 3,
  tellSeconds: 2,
};
