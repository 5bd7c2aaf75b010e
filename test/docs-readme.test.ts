import { globSync } from "node:fs";
import { expect, it } from "vitest";
import { readPage } from "./document-tables.ts";

const readme = await readPage("README.md");
const results = await readPage("bench/RESULTS.md");

/** A cell of the results, rounded as the README says it: of the row of a system, in the table under a heading. */
function measured(heading: string, system: string, column: string): number {
  const section = results.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? "";
  const rows = section.split("\n").filter((line) => line.startsWith("|"));
  const cells = rows.map((line) => line.split("|").map((cell) => cell.trim()));
  const index = cells[0]?.indexOf(column) ?? -1;
  return Math.round(Number.parseFloat(cells.find((row) => row[1] === system)?.[index] ?? ""));
}

it("leads to every document", () => {
  const pages = globSync("docs/*.md");
  expect(pages.length).toBeGreaterThan(10);
  for (const page of [...pages, "bench/README.md", "bench/RESULTS.md", "CONTRIBUTING.md"])
    expect(readme).toContain(`](${page}`);
});

it("says what was measured as the results have it", () => {
  const text = readme.replaceAll(/\s+/g, " ");
  const systems = ["holdpoint", "agents", "langgraph", "floor"] as const;
  const [cpu, peersCpu, graphCpu, floorCpu] = systems.map((system) =>
    measured("Cycles", system, "server CPU a cycle, ms"),
  );
  const [disk, peersDisk, graphDisk, floorDisk] = systems.map((system) =>
    measured("Parked turns, and starting", system, "a parked turn on disk, KiB"),
  );
  expect(text).toContain(
    `takes ${cpu} ms of the server's CPU; with Cloudflare's \`agents\` ${peersCpu} ms, with LangGraph JS ${graphCpu} ms.`,
  );
  expect(text).toContain(
    `A parked turn takes ${disk} KiB on disk; with \`agents\` ${peersDisk} KiB, with LangGraph JS ${graphDisk} KiB.`,
  );
  expect(text).toContain(`takes ${floorCpu} ms and ${floorDisk} KiB:`);
  expect(text).toContain(`A parked turn takes ${disk} KiB.`);
});
