/** Owns: whether there are colours: on a terminal alone, whatever machine it is. `NO_COLOR` and `FORCE_COLOR` decide otherwise. */

import picocolors from "picocolors";

const { NO_COLOR = "", FORCE_COLOR = "" } = process.env;
const isWanted = FORCE_COLOR !== "" || process.stdout.isTTY === true;

// Not left to the package, which colours whatever CI runs.
export const pc = picocolors.createColors(isWanted && NO_COLOR === "");
