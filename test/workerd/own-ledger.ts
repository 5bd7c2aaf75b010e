/** Owns: a ledger without the effects of other files: all files of the project share one isolate, and so one ledger. */

import { beforeAll } from "vitest";
import { ledger } from "./ledger.ts";

beforeAll(() => ledger.clear());
