import { it } from "vitest";
import { hurry, playShare, TIMEOUT_MS } from "./share.ts";

hurry();

it(
  "loses no answer and does nothing twice, whatever fault strikes where: one half of the schedules",
  { timeout: TIMEOUT_MS },
  () => playShare(0, 2),
);
