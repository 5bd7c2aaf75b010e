/**
 * Owns: what it costs to start a Worker: CPU of its process from the start until it answered its first request.
 */

import { type Bundle } from "./bundle.ts";
import { medianOf } from "./statistics.ts";
import { serve } from "./workerd.ts";

export async function cpuOfStart(
  name: string,
  bundle: Bundle,
  variables: Readonly<Record<string, string>>,
  times: number,
): Promise<number> {
  const taken: number[] = [];
  for (let n = 0; n < times; n += 1) {
    const server = await serve({ name, bundle, variables });
    const answer = await fetch(`${server.origin}/healthz`);
    await answer.arrayBuffer();
    taken.push(server.cpuMs());
    await server.stop();
  }
  return medianOf(taken);
}
