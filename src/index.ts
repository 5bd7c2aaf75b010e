/**
 * The app that ships: the loan desk on the harness, and the playground where it is turned on. Nothing but wiring.
 */

import { resolveModel } from "./agent/models.ts";
import { createHarness } from "./harness.ts";
import { loanDesk } from "./loan-desk.ts";
import { defineAgent } from "./options.ts";
import { isPlayground, playground, refuseExposedPlayground } from "./playground.ts";

const harness = createHarness({
  agents: (env) => ({
    "loan-desk": defineAgent({
      ...loanDesk,
      model: resolveModel(String(env["MODEL"] ?? "demo"), env),
      humanInput: true,
    }),
    ...(isPlayground(env) && { playground: playground() }),
  }),
});

export class Session extends harness.Session {}
export class Inbox extends harness.Inbox {}

export default {
  fetch: (request, env, context) =>
    refuseExposedPlayground(request, env) ?? harness.worker.fetch(request, env, context),
  scheduled: harness.worker.scheduled,
} satisfies ExportedHandler<Readonly<Record<string, unknown>>>;
