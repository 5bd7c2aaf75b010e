/**
 * Owns: the figures of a workspace, joined from its inbox's shards, and how they read as JSON and as Prometheus's text.
 */

/** What one shard of the inbox knows. */
export interface ShardFigures {
  readonly sessions: number;
  readonly openQuestions: number;
  readonly parkedTurns: number;
  /** Of the turns that are parked now, together, since each last changed. */
  readonly parkedMs: number;
  /** Sessions that should have woken by themselves. */
  readonly overdueSessions: number;
  /** How long people took, of the questions that were asked last. */
  readonly answerMs: readonly number[];
  /** As far as the sessions told: what a session did after its last report comes with its next, unless it is evicted before. */
  readonly wakes: number;
  readonly rowsWritten: number;
}

export interface Metrics {
  readonly sessions: number;
  readonly openQuestions: number;
  readonly parkedTurns: number;
  readonly parkedHours: number;
  readonly overdueSessions: number;
  readonly timeToAnswer: {
    /** How many answered questions it is taken from. */
    readonly questions: number;
    readonly p50Seconds: number | null;
    readonly p95Seconds: number | null;
  };
  readonly wakes: number;
  readonly rowsWritten: number;
}

const HOUR_MS = 60 * 60 * 1_000;

export function joinFigures(shards: readonly ShardFigures[]): Metrics {
  const sum = (figure: (shard: ShardFigures) => number) =>
    shards.reduce((total, shard) => total + figure(shard), 0);
  const durations = shards
    .flatMap(({ answerMs }) => answerMs)
    .toSorted((one, other) => one - other);
  return {
    sessions: sum(({ sessions }) => sessions),
    openQuestions: sum(({ openQuestions }) => openQuestions),
    parkedTurns: sum(({ parkedTurns }) => parkedTurns),
    parkedHours: sum(({ parkedMs }) => parkedMs) / HOUR_MS,
    overdueSessions: sum(({ overdueSessions }) => overdueSessions),
    timeToAnswer: {
      questions: durations.length,
      p50Seconds: quantile(durations, 0.5),
      p95Seconds: quantile(durations, 0.95),
    },
    wakes: sum(({ wakes }) => wakes),
    rowsWritten: sum(({ rowsWritten }) => rowsWritten),
  };
}

/** By the nearest rank: a time that somebody really took. */
function quantile(sortedMs: readonly number[], share: number): number | null {
  const ms = sortedMs[Math.ceil(share * sortedMs.length) - 1];
  return ms === undefined ? null : ms / 1_000;
}

/** Prometheus's text format, https://prometheus.io/docs/instrumenting/exposition_formats/. */
export function prometheusText(metrics: Metrics): string {
  const { timeToAnswer } = metrics;
  const seconds = (share: string, value: number | null) =>
    `{quantile="${share}"} ${value ?? "NaN"}`;
  return [
    family("sessions", "gauge", "Sessions that were ever there.", [metrics.sessions]),
    family("open_questions", "gauge", "Questions that wait for a person.", [metrics.openQuestions]),
    family("parked_turns", "gauge", "Turns that are parked.", [metrics.parkedTurns]),
    family("parked_hours", "gauge", "Hours since the parked turns last changed, together.", [
      metrics.parkedHours,
    ]),
    family("overdue_sessions", "gauge", "Sessions that should have woken by themselves.", [
      metrics.overdueSessions,
    ]),
    family("time_to_answer_seconds", "gauge", "How long people took, of the latest questions.", [
      seconds("0.5", timeToAnswer.p50Seconds),
      seconds("0.95", timeToAnswer.p95Seconds),
    ]),
    family("wakes_total", "counter", "Alarms that woke a session.", [metrics.wakes]),
    family("rows_written_total", "counter", "Rows that sessions wrote.", [metrics.rowsWritten]),
  ].join("");
}

function family(
  name: string,
  type: string,
  help: string,
  samples: readonly (number | string)[],
): string {
  const full = `holdpoint_${name}`;
  const lines = samples.map((sample) =>
    typeof sample === "number" ? `${full} ${sample}` : `${full}${sample}`,
  );
  return `# HELP ${full} ${help}\n# TYPE ${full} ${type}\n${lines.join("\n")}\n`;
}
