import { expect, it } from "vitest";
import { joinFigures, prometheusText, type ShardFigures } from "../../src/core/metrics.ts";

const NOTHING: ShardFigures = {
  sessions: 0,
  openQuestions: 0,
  parkedTurns: 0,
  parkedMs: 0,
  overdueSessions: 0,
  answerMs: [],
  wakes: 0,
  rowsWritten: 0,
};

function figures(answerMs: readonly number[]): ShardFigures {
  return {
    sessions: 1,
    openQuestions: 2,
    parkedTurns: 3,
    parkedMs: 5_400_000,
    overdueSessions: 4,
    answerMs,
    wakes: 5,
    rowsWritten: 6,
  };
}

it("joins the figures of shards, and takes quantiles over all of them", () => {
  const answered = Array.from({ length: 100 }, (_, n) => (n + 1) * 1_000);
  const joined = joinFigures([
    figures(answered.filter((ms) => ms % 2_000 === 0)),
    figures(answered.filter((ms) => ms % 2_000 !== 0)),
    NOTHING,
  ]);
  expect(joined).toEqual({
    sessions: 2,
    openQuestions: 4,
    parkedTurns: 6,
    parkedHours: 3,
    overdueSessions: 8,
    timeToAnswer: { questions: 100, p50Seconds: 50, p95Seconds: 95 },
    wakes: 10,
    rowsWritten: 12,
  });
});

it("has no quantile of nothing, and of one time that time", () => {
  expect(joinFigures([NOTHING]).timeToAnswer).toEqual({
    questions: 0,
    p50Seconds: null,
    p95Seconds: null,
  });
  expect(joinFigures([figures([700])]).timeToAnswer).toMatchObject({
    p50Seconds: 0.7,
    p95Seconds: 0.7,
  });
});

it("reads as Prometheus's text: a help, a type and a value for each figure", () => {
  const text = prometheusText(joinFigures([figures([1_500])]));
  expect(text).toMatch(
    /^(?:# HELP (\w+) .+\n# TYPE \1 (?:gauge|counter)\n(?:\1(?:\{quantile="[\d.]+"\})? [\d.]+\n)+)+$/,
  );
  expect(text).toContain("holdpoint_open_questions 2\n");
  expect(text).toContain('holdpoint_time_to_answer_seconds{quantile="0.95"} 1.5\n');
  expect(text).toContain("holdpoint_rows_written_total 6\n");
  expect(prometheusText(joinFigures([NOTHING]))).toContain('{quantile="0.5"} NaN\n');
});
