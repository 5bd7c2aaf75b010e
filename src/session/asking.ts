/**
 * Owns: asking from a tool's own code: at once, with the status of the same question where it was asked before.
 */

import { z } from "zod";
import type { AskResult } from "../agent/tool-context.ts";
import { formatId, formatTaskId, sha256Hex } from "../core/ids.ts";
import { issuesOf, modelIssues } from "../core/issue.ts";
import { canonicalJson, isJsonObject, type Json } from "../core/json.ts";
import { OPEN_QUESTIONS } from "../core/limits.ts";
import { toolQuestionSchema } from "../core/question.ts";
import type { TaskRecord } from "../core/task.ts";
import { readTaskByIdentity } from "../journal/tasks.ts";
import type { CallPlace } from "./draft.ts";
import type { SessionStore } from "./store.ts";

/** Throws, in words for the tool's author, where the question is not one that can be asked. */
export async function askFromTool(
  store: SessionStore,
  place: CallPlace,
  question: unknown,
  key: string | undefined,
): Promise<AskResult> {
  const parsed = toolQuestionSchema.safeParse(withJsonSchema(question));
  if (!parsed.success)
    throw new Error(`the question can't be asked: ${modelIssues(issuesOf(parsed.error))}`);
  const content = parsed.data;
  const identity = await sha256Hex(
    key === undefined ? `content:${canonicalJson(content)}` : `key:${key}`,
  );
  // Nothing is awaited from here on, so two calls that ask the same find the same question.
  const known = readTaskByIdentity(store.database, identity);
  if (known !== undefined) return askResult(store, known);
  const record = store.transact((draft) => {
    if (draft.openQuestions >= OPEN_QUESTIONS)
      throw new Error(`this session has ${OPEN_QUESTIONS} open questions already`);
    return draft.ask(place, { kind: "tool", question: content, identity });
  });
  return askResult(store, record);
}

/** An `answerSchema` may be zod; it is stored, and checked, as the JSON Schema that it stands for. */
function withJsonSchema(question: unknown): unknown {
  if (!isJsonObject(question)) return question;
  const schema: unknown = question["answerSchema"];
  return schema instanceof z.ZodType
    ? { ...question, answerSchema: z.toJSONSchema(schema) }
    : question;
}

function askResult(store: SessionStore, record: TaskRecord): AskResult {
  const ids = {
    taskId: formatTaskId(record.task ?? 0),
    requestId: formatId("q", store.key, record.n),
  };
  const { settlement } = record;
  if (settlement === undefined) return { status: "waiting", ...ids };
  switch (settlement.status) {
    case "answered":
      return {
        status: "answered",
        ...ids,
        answer: settlement.answer as Json,
        answeredBy: settlement.by,
        answeredAt: new Date(settlement.at).toISOString(),
      };
    case "declined":
    case "cancelled":
      return {
        status: settlement.status,
        ...ids,
        ...(settlement.reason !== undefined && { reason: settlement.reason }),
      };
    case "expired":
      return { status: "expired", ...ids };
    case "finished":
      throw new Error("a question does not end as a background tool does");
  }
}
