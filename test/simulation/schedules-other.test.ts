import { it } from "vitest";
import { hurry, playShare, TIMEOUT_MS } from "./share.ts";

hurry();

it(
  "loses no answer and does nothing twice, whatever fault strikes where: the other half of the schedules",
  { timeout: TIMEOUT_MS },
  () => playShare(1, 2),
);
