/**
 * The app that ships: the loan desk on the harness, and the playground where it is turned on. Nothing but wiring.
 */

import { env as bindings } from "cloudflare:workers";
import { resolveModel } from "./agent/models.ts";
import type { Channel } from "./core/channel.ts";
import { type Config, ConfigurationError, readConfig } from "./env.ts";
import type { LookOptions } from "./look-options.ts";
import { createHarness } from "./harness.ts";
import { loanDesk } from "./loan-desk.ts";
import { defineAgent } from "./options.ts";
import { email } from "./outbound/email.ts";
import { slack } from "./outbound/slack.ts";
import { isPlayground, playground, refuseExposedPlayground } from "./playground.ts";

const harness = createHarness({
  agents: (env) => ({
    "loan-desk": defineAgent({
      ...loanDesk,
      model: resolveModel(String(env["MODEL"] ?? "demo"), env),
      humanInput: { channels: channelsOf(readConfig(env)) },
    }),
    ...(isPlayground(env) && { playground: playground() }),
  }),
  ...look(),
  mail: (env) => ({ agents: readConfig(env).mailAgents }),
});

/** A configuration that can't be read is told of at each door, not here. */
function look(): LookOptions {
  try {
    const { language, brand } = readConfig(bindings);
    return {
      ...(language !== undefined && { lang: language }),
      ...(brand !== undefined && { brand }),
    };
  } catch (error) {
    if (error instanceof ConfigurationError) return {};
    throw error;
  }
}

/** Each is off until its variables are set. */
function channelsOf(config: Config): readonly Channel[] {
  const { mailFrom, mailTo, mailReplyTo, slackBotToken, slackChannel, slackApiUrl } = config;
  const channels: Channel[] = [];
  if (mailFrom !== undefined)
    channels.push(
      email({
        from: mailFrom,
        ...(mailTo !== undefined && { to: mailTo }),
        ...(mailReplyTo !== undefined && { replyTo: mailReplyTo }),
      }),
    );
  if (slackBotToken !== undefined)
    channels.push(
      slack({
        token: slackBotToken,
        ...(slackChannel !== undefined && { channel: slackChannel }),
        ...(slackApiUrl !== undefined && { api: slackApiUrl }),
      }),
    );
  return channels;
}

export class Session extends harness.Session {}
export class Inbox extends harness.Inbox {}
/** For other Workers: a service binding to it has `props` that name its workspace. */
export class HoldpointEntrypoint extends harness.Entrypoint {}

export default {
  fetch: (request, env, context) =>
    refuseExposedPlayground(request, env) ?? harness.worker.fetch(request, env, context),
  scheduled: harness.worker.scheduled,
  email: (message, env) => harness.worker.email(message, env),
} satisfies ExportedHandler<Readonly<Record<string, unknown>>>;
