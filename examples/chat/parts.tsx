/** The parts of a message: text, a question with its options, a tool's call and its approval. */

import type { UseChatHelpers } from "@ai-sdk/react";
import { getToolName, isToolUIPart, type ToolUIPart, type DynamicToolUIPart } from "ai";
import type { Message } from "./chat.tsx";

interface PartProps {
  readonly chat: Pick<UseChatHelpers<Message>, "addToolOutput" | "addToolApprovalResponse">;
  /** Whether the message's turn is: only then does the message have the `eventId` that an answer is sent with. */
  readonly isParked: boolean;
  /** Lets an answer go out. */
  readonly settle: (give: () => void | PromiseLike<void>) => Promise<void>;
}

type ToolPart = ToolUIPart | DynamicToolUIPart;

export function Part({ part, ...props }: PartProps & { part: Message["parts"][number] }) {
  if (part.type === "text") return <p>{part.text}</p>;
  if (!isToolUIPart(part)) return null;
  return part.type === "tool-question" ? (
    <Question part={part} {...props} />
  ) : (
    <Call part={part} {...props} />
  );
}

/** What Holdpoint shows of a question. */
interface Asked {
  readonly question: string;
  readonly context?: string;
  readonly options?: readonly { readonly id: string; readonly label: string }[];
  readonly allowText?: boolean;
}

interface Answered {
  readonly answer: { readonly option?: string; readonly text?: string };
  readonly answeredBy?: string;
}

function Question({ part, chat, isParked, settle }: PartProps & { part: ToolPart }) {
  const { question, context, options = [], allowText = false } = part.input as Asked;
  const answer = (given: Answered["answer"]) =>
    void settle(() =>
      chat.addToolOutput({
        tool: "question",
        toolCallId: part.toolCallId,
        output: { answer: given } satisfies Answered,
      }),
    );
  return (
    <fieldset>
      <legend>{question}</legend>
      {context !== undefined && <p>{context}</p>}
      {part.state === "input-available" &&
        options.map(({ id, label }) => (
          <button
            key={id}
            type="button"
            disabled={!isParked}
            onClick={() => answer({ option: id })}
          >
            {label}
          </button>
        ))}
      {part.state === "input-available" && allowText && (
        <form action={(form) => answer({ text: String(form.get("answer")) })}>
          <label>
            In your own words <input name="answer" required autoComplete="off" />
          </label>
          <button type="submit" disabled={!isParked}>
            Answer
          </button>
        </form>
      )}
      {part.state === "output-available" && <p>{answeredText(part.output as Answered, options)}</p>}
      {part.state === "output-error" && <p>{part.errorText}</p>}
    </fieldset>
  );
}

function answeredText({ answer, answeredBy }: Answered, options: NonNullable<Asked["options"]>) {
  const label = options.find(({ id }) => id === answer.option)?.label;
  const said = [label, answer.text].filter((text) => text !== undefined).join(": ");
  return answeredBy === undefined ? said : `${said} (${answeredBy})`;
}

function Call({ part, chat, isParked, settle }: PartProps & { part: ToolPart }) {
  const decide = (approved: boolean) => {
    const id = part.approval?.id;
    if (id !== undefined) void settle(() => chat.addToolApprovalResponse({ id, approved }));
  };
  return (
    <figure>
      <figcaption>
        {getToolName(part)}: {STATES[part.state]}
      </figcaption>
      <code>{JSON.stringify(part.input)}</code>
      {part.state === "approval-requested" && (
        <div>
          <button type="button" disabled={!isParked} onClick={() => decide(true)}>
            Approve
          </button>
          <button type="button" disabled={!isParked} onClick={() => decide(false)}>
            Deny
          </button>
        </div>
      )}
    </figure>
  );
}

const STATES: Readonly<Record<ToolPart["state"], string>> = {
  "input-streaming": "is called",
  "input-available": "runs",
  "approval-requested": "may it run?",
  "approval-responded": "is decided",
  "output-available": "done",
  "output-error": "failed",
  "output-denied": "denied",
};
