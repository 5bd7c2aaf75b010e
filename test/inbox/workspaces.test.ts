import { expect, it, vi } from "vitest";
import { call } from "../workerd/client.ts";
import { provesApart } from "../workerd/fuzz/foreign.ts";
import { MARKERS } from "../workerd/fuzz/world.ts";

it("reaches nothing of another workspace by any route where the sessions tell an inbox", () =>
  provesApart(() =>
    vi.waitFor(
      async () => {
        const listed = await call("GET", "/v1/questions?status=all");
        expect(await listed.text()).toContain(MARKERS.dev);
      },
      { timeout: 5_000, interval: 20 },
    ),
  ));
