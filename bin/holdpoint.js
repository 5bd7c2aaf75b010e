#!/usr/bin/env node
// The package has the command line compiled; a clone of the repository runs its source.
import { existsSync } from "node:fs";

const source = new URL("../src/cli/main.ts", import.meta.url);
await import(existsSync(source) ? source.href : "../lib/cli/main.js");
