/**
 * Owns: what the log says of a commit: which facts, of which session, turn, run and question. Never what they say.
 */

import type { Fact } from "../core/event.ts";
import { formatId, formatSessionId, type SessionKey } from "../core/ids.ts";
import type { Commit } from "../journal/journal.ts";

/** `run` is the turn's present one; undefined for what belongs to no turn. */
export function commitLine(
  workspace: string,
  key: SessionKey,
  { seq, turn, facts }: Commit,
  run: number | undefined,
): object {
  const questions = facts.flatMap(questionOf);
  return {
    event: "holdpoint.commit",
    workspace,
    sessionId: formatSessionId(key),
    seq,
    facts: facts.map(({ type }) => type),
    ...(turn > 0 && { turnId: formatId("turn", key, turn) }),
    ...(run !== undefined && { runId: formatId("run", key, run) }),
    ...(questions.length > 0 && { questionIds: questions.map((n) => formatId("q", key, n)) }),
  };
}

function questionOf(fact: Fact): readonly number[] {
  return "question" in fact ? [fact.question] : [];
}
