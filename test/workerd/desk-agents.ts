/**
 * Agents whose questions go to people: through channels that only note what they are given, and by terms of their own.
 */

import { tool } from "ai";
import { z } from "zod";
import { scriptModel } from "../../src/agent/script-model.ts";
import {
  type Channel,
  NOTICE_EVENTS,
  type NoticeEvent,
  type Recipient,
} from "../../src/core/channel.ts";
import type { JsonObject } from "../../src/core/json.ts";
import type { Question } from "../../src/core/question.ts";
import { defineAgent } from "../../src/options.ts";
import { playgroundTools } from "../../src/playground-tools.ts";
import { stage } from "./stage.ts";

export interface Sent {
  readonly channel: string;
  readonly id: string;
  readonly event: NoticeEvent;
  readonly recipient?: Recipient;
  readonly reference?: JsonObject;
  readonly question: Question;
}

/** What was sent, by which channel; and how each channel does. */
class Mailbox {
  readonly sent: Sent[] = [];
  /** Channels that fail, and how. */
  readonly down = new Map<string, Error>();
  /** A channel that stands at this gate before it sends. */
  gate: { readonly channel: string; readonly name: string } | undefined;

  /** What was sent, short: event, channel, recipient. */
  get short(): readonly string[] {
    return this.sent.map(
      ({ event, channel, recipient }) =>
        `${event.slice("question.".length)} ${channel} ${recipient?.name ?? "-"}`,
    );
  }

  clear(): void {
    this.sent.length = 0;
    this.down.clear();
    this.gate = undefined;
  }
}

export const mailbox = new Mailbox();

function noting(name: string, events: readonly NoticeEvent[] = NOTICE_EVENTS): Channel {
  return {
    name,
    events,
    send: async (notice) => {
      const failure = mailbox.down.get(name);
      if (failure !== undefined) throw failure;
      mailbox.sent.push({ channel: name, ...notice });
      const place = mailbox.sent.length;
      if (mailbox.gate?.channel === name) await stage.stopAt(mailbox.gate.name);
      return { message: `${name} ${place}` };
    },
  };
}

const pay = tool({
  description: "Pay.",
  inputSchema: z.object({ amount: z.int() }),
  execute: ({ amount }) => ({ paid: amount }),
});
const { ask_tool } = playgroundTools();

const recipients = {
  dana: { email: "dana@lender.example" },
  kim: { email: "kim@lender.example", slack: "U1" },
  lead: { email: "lead@lender.example" },
  team: ["dana", "kim"],
};

export const deskAgents = {
  /** Everybody is reached by mail, kim in a chat, too; the chat hears nothing of reminders. */
  desk: defineAgent({
    model: scriptModel,
    system: "You play a script.",
    tools: { ask_tool, pay },
    approvals: { pay: "always" },
    humanInput: {
      channels: [noting("email"), noting("slack", ["question.asked", "question.answered"])],
      recipients,
    },
    userQuestions: true,
  }),
  /** Its questions have a life of their own. */
  lively: defineAgent({
    model: scriptModel,
    system: "You play a script.",
    tools: { ask_tool, pay },
    approvals: { pay: "always" },
    humanInput: {
      channels: [noting("email")],
      recipients,
      remind: ["2h", "1h"],
      escalate: [{ after: "3h", to: "lead" }],
      expire: { after: "1d", then: { answer: { option: "deny" } } },
    },
    userQuestions: true,
  }),
  /** What nobody decides is denied; the author's own delivery hears of reminders. */
  denying: defineAgent({
    model: scriptModel,
    system: "You play a script.",
    tools: { pay },
    approvals: { pay: "always" },
    humanInput: {
      deliver: (question, { event }) => {
        mailbox.sent.push({ channel: "deliver", id: "", event, question });
      },
      remind: ["1h"],
      expire: { after: "2h", then: "deny" },
    },
  }),
};
