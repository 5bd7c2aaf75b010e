/** Owns: the faults that may strike: where, and what happens there. */

/** Where a fault may strike. */
export const PLACES = [
  "commit.before",
  "commit.after",
  "model.before",
  "model.after",
  "tool.before",
  "tool.after",
  "rule",
  "deliver.before",
  "deliver.after",
  "result.before",
  "result.after",
  "tell.before",
  "tell.after",
  "alarm.before",
  "alarm.after",
  "rest",
] as const;
export type Place = (typeof PLACES)[number];

/**
 * What happens there: the object dies; the storage or the world outside refuses; or, while the engine waits for the
 * world, its alarm fires, an answer comes, an old one comes again, or the turn is cancelled.
 */
export const DEEDS = ["crash", "refuse", "alarm", "answer", "again", "cancel"] as const;
export type Deed = (typeof DEEDS)[number];

export interface Fault {
  readonly place: Place;
  /** Which visit of the place, from 1. */
  readonly nth: number;
  readonly deed: Deed;
}

const EVERY_DEED = DEEDS.filter((deed) => deed !== "refuse");

export function deedsAt(place: Place): readonly Deed[] {
  switch (place) {
    case "commit.before":
      return ["crash", "refuse"];
    case "commit.after":
    case "alarm.before":
    case "alarm.after":
    case "rest":
      return ["crash"];
    case "deliver.before":
    case "result.before":
    case "tell.before":
    case "tell.after":
    case "model.before":
      return DEEDS;
    case "model.after":
    case "tool.before":
    case "tool.after":
    case "rule":
    case "deliver.after":
    case "result.after":
      return EVERY_DEED;
  }
}
