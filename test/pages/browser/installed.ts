/** Where the browser is, and whether. */

import { existsSync } from "node:fs";

export const CHROMIUM = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium";
export const HAS_CHROMIUM = existsSync(CHROMIUM);
