/** An agent whose questions go to Slack: to people, to a channel, or to nobody in particular. */

import { tool } from "ai";
import { z } from "zod";
import { scriptModel } from "../../src/agent/script-model.ts";
import { defineAgent } from "../../src/options.ts";
import { slack } from "../../src/outbound/slack.ts";
import { playgroundTools } from "../../src/playground-tools.ts";
import { BOT_TOKEN } from "../fake-slack.ts";

const { ask_tool } = playgroundTools();

export const slackAgents = {
  "in-slack": defineAgent({
    model: scriptModel,
    system: "You play a script.",
    tools: {
      ask_tool,
      pay_out: tool({
        description: "Pay a loan out.",
        inputSchema: z.looseObject({}),
        execute: () => ({ paid: true }),
      }),
    },
    approvals: { pay_out: "always" },
    userQuestions: true,
    humanInput: {
      channels: [slack({ token: BOT_TOKEN, channel: "#underwriting" })],
      recipients: {
        dana: { slack: "U0DANA" },
        kim: { slack: "U0KIM" },
        lead: { slack: "U0LEAD" },
        desk: { slack: "C0DESK" },
        gone: { slack: "C0GONE" },
        team: ["dana", "kim"],
        nobody: {},
      },
    },
  }),
};
