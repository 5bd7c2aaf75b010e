/**
 * Owns: one step of a turn: the model call, what each of its calls is to become, and the one commit that records the
 * message, asks its questions and settles what is settled at once.
 */

import type { Agent } from "../agent/agent.ts";
import { decideApproval } from "../agent/approvals.ts";
import type { BoundTool } from "../agent/bound-tool.ts";
import { pendingInstructions, settleImmediate, type TaskPort } from "../agent/human-tools.ts";
import { MessagesNotUsable, preparedMessages } from "../agent/prepared-messages.ts";
import { type MadeCall, runStep, type Step, type StepOutcome } from "../agent/step.ts";
import { messageOf, toolboxOf } from "../agent/tools.ts";
import type { Call, ToolOutput } from "../core/event.ts";
import { formatTaskId } from "../core/ids.ts";
import { modelIssues } from "../core/issue.ts";
import { BATCH_RESULTS, OPEN_QUESTIONS, REFUSAL_NAME_CHARACTERS } from "../core/limits.ts";
import { outputInstructions } from "../core/output.ts";
import { deniedBefore, failed, notExecuted } from "../core/settlement.ts";
import { questionText, type TaskContent } from "../core/task.ts";
import { shorten } from "../core/text.ts";
import type { RunningTurn } from "../core/turn.ts";
import { askUserQuestionRequestSchema } from "../core/user-question.ts";
import {
  readDecidedApprovals,
  readOpenTasksOfTurn,
  readTaskById,
  readTasks,
} from "../journal/tasks.ts";
import { approvalContext } from "./contexts.ts";
import type { CallPlace, Draft } from "./draft.ts";
import type { DriverPorts } from "./driver.ts";
import type { SessionStore } from "./store.ts";

/** A call with what the step's commit does about it. */
interface PlannedCall {
  readonly call: Call;
  readonly tool: BoundTool | undefined;
  /** Present where the call is refused and never runs. */
  readonly refusal?: ToolOutput;
}

/** Undefined where the step landed, or where the turn was ended meanwhile; else what went wrong. */
export async function finishStep(
  store: SessionStore,
  ports: DriverPorts,
  turn: RunningTurn,
  agent: Agent,
  signal: AbortSignal,
): Promise<Extract<StepOutcome, { ok: false }> | undefined> {
  const deferred = turn.started.deferred ?? true;
  const toolbox = await toolboxOf(agent, deferred);
  const { transcript } = store;
  const { output } = turn.started;
  const context = {
    env: ports.env,
    agent: agent.name,
    extraBody: turn.started.extraBody,
    input: turn.started.input,
    turn: {
      steps: turn.steps,
      failures: turn.failures,
      // Few models look: it is a copy of what may be thousands of messages.
      get messages() {
        return transcript.turnMessages(turn.n);
      },
    },
  };
  const rulesContext = approvalContext({ store, ports }, turn, agent);
  const messages = await preparedMessages(agent, transcript.messages(turn.n), rulesContext).catch(
    asFailure,
  );
  if ("ok" in messages) return messages;
  const request = {
    agent: turn.system === undefined ? agent : { ...agent, system: turn.system },
    toolbox,
    deferred,
    messages,
    notes: [
      pendingInstructions(pendingQuestions(store, turn)),
      ...(output === undefined ? [] : [outputInstructions(output)]),
    ],
    ...(output !== undefined && { output }),
    context,
    ids: { sessionId: rulesContext.sessionId, turnId: rulesContext.turnId },
    usedCallIds: transcript.callIds(turn.n),
    signal,
  };
  const { live } = ports.readers;
  const call = live.begin(turn.n, turn.steps);
  const stream = { isRead: ports.readers.isRead(turn.n), onText: call.onText };
  const outcome = await runStep({ ...request, stream }).finally(() => call.end());
  if (!outcome.ok) return outcome;
  const { step } = outcome;
  const planned = await Promise.all(
    step.calls.map((made, index) =>
      planCall(made, index, toolbox, (tool, input) =>
        decideApproval(agent, tool.name, input, deferred, rulesContext),
      ),
    ),
  );
  // I9: a cancel while the model answered makes the answer void.
  if (store.openTurn(turn.n)?.fence !== turn.fence) return undefined;
  store.transact((draft) => commitStep(draft, store, turn, step, withoutSurplus(planned)));
  return undefined;
}

/** An author's hook that fails is the world's trouble, and may pass; one that drops what it must keep is a mistake. */
function asFailure(error: unknown): Extract<StepOutcome, { ok: false }> {
  return {
    ok: false,
    failure: {
      code: "prepare_messages_failed",
      message: messageOf(error),
      retryable: !(error instanceof MessagesNotUsable),
    },
    retryAfterMs: 0,
  };
}

/** The questions for which other turns of the session are parked. */
function pendingQuestions(store: SessionStore, turn: RunningTurn): string[] {
  const others = store.openTurns.filter((other) => other.n !== turn.n && other.status === "parked");
  return others.flatMap((other) =>
    readOpenTasksOfTurn(store.database, other.n).map(({ task, content }) =>
      task === undefined
        ? questionText(content)
        : `${formatTaskId(task)}: ${questionText(content)}`,
    ),
  );
}

async function planCall(
  made: MadeCall,
  index: number,
  toolbox: ReadonlyMap<string, BoundTool>,
  decide: (tool: BoundTool, input: Call["input"]) => ReturnType<typeof decideApproval>,
): Promise<PlannedCall> {
  const { callId, toolName, input } = made;
  const tool = toolbox.get(toolName);
  const base = { index, callId, toolName, input: input ?? {} };
  const refuse = (refusal: ToolOutput): PlannedCall => ({
    call: { ...base, kind: "immediate" },
    tool,
    refusal,
  });
  if (tool === undefined)
    return refuse(
      failed(
        `there is no tool ${shorten(toolName, REFUSAL_NAME_CHARACTERS)}; the tools are ${[...toolbox.keys()].join(", ")}`,
      ),
    );
  if (input === undefined)
    return refuse(failed(`the input of ${toolName} is no JSON that can be read`));
  const checked = await tool.check(input);
  if (!checked.ok)
    return refuse(failed(`the input of ${toolName} is not valid: ${modelIssues(checked.issues)}`));
  const approval = await decide(tool, input);
  if (approval.decision === "forbidden") return refuse(notExecuted(approval.reason));
  const waits = approval.decision === "required" || tool.kind === "client";
  return {
    call: {
      ...base,
      kind: tool.kind,
      ...(waits && tool.schemaDigest !== undefined && { schema: tool.schemaDigest }),
      ...(approval.decision === "required" && { approval: approval.approval }),
    },
    tool,
  };
}

/** A batch of results holds so many, so a step may not leave more calls open: the rest is refused to the model. */
function withoutSurplus(planned: readonly PlannedCall[]): readonly PlannedCall[] {
  let open = 0;
  return planned.map((each) => {
    const { kind, approval } = each.call;
    const waits = approval !== undefined || kind === "client" || kind === "form";
    if (each.refusal !== undefined || !waits) return each;
    open += 1;
    if (open <= BATCH_RESULTS) return each;
    const refusal = failed(
      `one step may leave at most ${BATCH_RESULTS} calls open: make it again later`,
    );
    const { approval: _, ...call } = each.call;
    return { ...each, refusal, call: { ...call, kind: "immediate" } };
  });
}

function commitStep(
  draft: Draft,
  store: SessionStore,
  turn: RunningTurn,
  step: Step,
  planned: readonly PlannedCall[],
): void {
  draft.add({
    type: "step.finished",
    turn: turn.n,
    step: turn.steps,
    content: [...step.content],
    text: step.text,
    finishReason: step.finishReason,
    calls: planned.map(({ call }) => call),
    usage: step.usage,
  });
  for (const each of planned) {
    const place = { turn: turn.n, step: turn.steps, index: each.call.index };
    const output = each.refusal ?? settledAtOnce(draft, store, place, each);
    if (output !== undefined) draft.add({ type: "call.settled", ...place, output });
  }
}

/** Does what a call needs at once; returns its result where it has one already. */
function settledAtOnce(
  draft: Draft,
  store: SessionStore,
  place: CallPlace,
  { call, tool }: PlannedCall,
): ToolOutput | undefined {
  if (call.approval !== undefined) {
    const { toolName, input } = call;
    const denial = deniedBefore(readDecidedApprovals(store.database, toolName), input);
    const reason = [call.approval.reason, denial].filter((line) => line !== undefined).join("\n\n");
    return askOrRefuse(draft, place, {
      kind: "approval",
      toolName,
      input,
      editable: tool?.editable ?? false,
      ...(reason !== "" && { reason }),
    });
  }
  switch (call.kind) {
    case "immediate":
      return settleImmediate(call.toolName, call.input, taskPort(draft, store, place));
    case "form":
      return askOrRefuse(draft, place, {
        kind: "form",
        request: askUserQuestionRequestSchema.parse(call.input),
      });
    case "tool":
      // I3: the start is in the journal before the effect; a tool without one needs no start.
      if (tool?.effect === true) draft.add({ type: "tool.started", ...place });
      return undefined;
    case "background":
    case "client":
    case "await":
      return undefined;
  }
}

function askOrRefuse(
  draft: Draft,
  place: CallPlace,
  content: Extract<TaskContent, { kind: "form" | "approval" }>,
): ToolOutput | undefined {
  if (draft.openQuestions >= OPEN_QUESTIONS)
    return failed(`this session has ${OPEN_QUESTIONS} open questions already`);
  draft.ask(place, content);
  return undefined;
}

function taskPort(draft: Draft, store: SessionStore, place: CallPlace): TaskPort {
  return {
    key: store.key,
    ask: (question) =>
      draft.openQuestions >= OPEN_QUESTIONS
        ? undefined
        : draft.ask(place, { kind: "person", question }),
    newest: (limit) => readTasks(store.database, limit),
    find: (task) => readTaskById(store.database, task),
    cancel: (record, reason) =>
      draft.settle(record, { status: "cancelled", ...(reason !== undefined && { reason }) }),
  };
}
