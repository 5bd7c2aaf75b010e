/**
 * The engine under faults. As environment variables: SCHEDULES how many, FROM the first seed, MINUTES after which fewer
 * will do, SEED the one schedule to play alone.
 */

import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../process/dev-server.ts";
import { bundleWorker, startWorkerd } from "../process/workerd-server.ts";
import { formatSchedule, KINDS, parseSchedule, type Played } from "../simulation/schedules.ts";
import { type Player, Spread } from "./spread.ts";

/** Those that found something once, in the product or in the simulation, are played first. */
const REMEMBERED = [
  "53 commit.after 15 crash",
  "155",
  "201 model.before 6 refuse",
  "201 tell.before 7 crash",
  "224 commit.before 30 crash",
  "335",
  "346 commit.before 12 refuse",
];
const { SCHEDULES = "200", FROM = "1", MINUTES = "", SEED = "" } = process.env;
const DISK_IN_MEMORY = "/dev/shm";
const ROOM_BYTES = 4 * 2 ** 30;
/** Each with a process of its own, which may wait for its disk nearly half of the time: two for each core. */
const PLAYERS = 4;
const VARIABLES = {
  INBOX_SHARDS: "1",
  PUBLIC_URL: "https://holdpoint.test",
  LINK_SECRET: "a secret for tests only",
  API_KEYS:
    '[{"id":"all","sha256":"7e9f8fd111802be56c379d597842e29b2cebd35ff2133d431a49fa556a18704e","workspace":"dev","can":["run","answer","read","admin"]}]',
};

/**
 * A disk in memory, where this machine has one with room for 10 000 schedules. What fails here are objects, whose commits
 * stand once the process has them; `test/process` has processes killed over the real disk.
 */
async function quickDisk(): Promise<string | undefined> {
  const { bavail, bsize } = await statfs(DISK_IN_MEMORY).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize >= ROOM_BYTES ? DISK_IN_MEMORY : undefined;
}

it(
  "loses no answer and does nothing twice, whatever fault strikes where",
  { timeout: 120_000 + Number(SCHEDULES) * 2_000 },
  async () => {
    await using folder = await temporaryFolder(await quickDisk());
    await using processes = new AsyncDisposableStack();
    const worker = await bundleWorker(join(import.meta.dirname, "../simulation/wrangler.toml"));
    const players: Player[] = [];
    for (let n = 0; n < PLAYERS; n += 1) {
      const { url } = processes.use(
        await startWorkerd({ worker, folder: join(folder.path, `${n}`), variables: VARIABLES }),
      );
      players.push(async (schedule) => {
        const query = new URLSearchParams({ schedule: formatSchedule(schedule) });
        const response = await fetch(`${url}/play?${query}`);
        if (!response.ok) throw new Error(`${query}: ${await response.text()}`);
        return (await response.json()) as Played;
      });
    }
    const spread = new Spread();
    const [first] = players;
    if (SEED !== "" && first !== undefined) await spread.playOne(first, parseSchedule(SEED));
    else {
      for (const remembered of REMEMBERED)
        if (first !== undefined) await spread.playOne(first, parseSchedule(remembered));
      const campaign = {
        wanted: Number(SCHEDULES),
        from: Number(FROM),
        ...(MINUTES !== "" && { patienceMs: Number(MINUTES) * 60_000 }),
      };
      await spread.playAll(campaign, players);
      console.log(spread.report());
    }
    expect(spread.failures.join("\n\n").slice(0, 10_000)).toBe("");
    if (SEED === "" && Number(SCHEDULES) >= KINDS.length)
      expect(KINDS.filter((kind) => spread.hits.get(kind) === 0)).toEqual([]);
  },
);
