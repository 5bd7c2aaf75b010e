/**
 * Owns: the simulation's door: `GET /play?schedule=…` plays one schedule, and is answered with what came of it. Every
 * other request is one for the Worker under simulation, whose own isolate this is.
 */

import { play } from "./play.ts";
import { parseSchedule } from "./schedules.ts";
import worker, { Inbox, Session } from "./worker.ts";

export { Inbox, Session };

/** How much faster than the clock on the wall the engine's short waits in memory pass. */
const HASTE = 100;

const real = globalThis.setTimeout;
const hasty = (run: () => void, ms = 0) => real(run, ms / HASTE);
globalThis.setTimeout = hasty as typeof setTimeout;

export default {
  async fetch(request, env, context) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== "/play") return worker.fetch(request, env, context);
    return Response.json(await play(parseSchedule(searchParams.get("schedule") ?? "")));
  },
} satisfies ExportedHandler<object>;
