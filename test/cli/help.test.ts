import { Command } from "commander";
import { expect, it } from "vitest";
import { addInbox } from "../../src/cli/inbox.ts";

function commands() {
  const program = new Command();
  addInbox(program);
  const inbox = program.commands.find((command) => command.name() === "inbox");
  const list = inbox?.commands.find((command) => command.name() === "list");
  if (inbox === undefined || list === undefined) throw new Error("there is no inbox list");
  return { program, inbox, list };
}

it("shows at inbox list each flag that inbox has", () => {
  const { inbox, list } = commands();
  const flags = inbox.options.map(({ flags: text }) => text);
  expect(flags).toContain("--status <status>");
  for (const flag of flags) expect(list.helpInformation()).toContain(`  ${flag} `);
});

it.each([
  [["--limit", "3", "list", "--status", "all"]],
  [["list", "--limit", "3", "--status", "all"]],
])("takes the flags of a list on either side of its name: %j", async (flags) => {
  const { program, list } = commands();
  let taken: unknown;
  list.action((_: unknown, command: Command) => {
    taken = command.optsWithGlobals();
  });
  await program.parseAsync(["inbox", ...flags], { from: "user" });
  expect(taken).toEqual({ limit: "3", status: "all" });
});
