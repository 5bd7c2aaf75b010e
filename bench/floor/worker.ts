/**
 * Owns: the floor: the least that a turn needs which asks, parks, is answered and is read, written by hand on Hono and one
 * SQLite object. It has no key, no checks, no conversation, no model and no second try: little can be faster and do the job.
 */

import { DurableObject } from "cloudflare:workers";
import { Hono } from "hono";
import { countedRoute, countRequests, countsOf } from "../counting.ts";

interface Bindings {
  readonly FLOOR: DurableObjectNamespace<Floor>;
  /** Where an answer is echoed to, where one asks for that: in the place of the model's next call. */
  readonly ECHO_URL?: string;
}

const LEASE_MS = 15_000;

interface TurnRow extends Record<string, SqlStorageValue> {
  id: number;
  status: string;
  input: string;
  answer: string | null;
}

export class Floor extends DurableObject<Bindings> {
  constructor(state: DurableObjectState, env: Bindings) {
    countsOf("Floor", state, env);
    super(state, env);
    state.storage.sql.exec(
      `CREATE TABLE IF NOT EXISTS turns (id INTEGER PRIMARY KEY, status TEXT NOT NULL, input TEXT NOT NULL, answer TEXT);
       CREATE TABLE IF NOT EXISTS events (id INTEGER PRIMARY KEY, turn INTEGER NOT NULL, event TEXT NOT NULL)`,
    );
  }

  start(input: string): TurnRow {
    void this.ctx.storage.setAlarm(Date.now() + LEASE_MS);
    return this.ctx.storage.sql
      .exec<TurnRow>(
        "INSERT INTO turns (status, input) VALUES ('parked', ?) RETURNING id, status, input, answer",
        input,
      )
      .one();
  }

  answer(id: number, answer: string): void {
    const { sql } = this.ctx.storage;
    sql.exec("UPDATE turns SET status = 'completed', answer = ? WHERE id = ?", answer, id);
    sql.exec("INSERT INTO events (turn, event) VALUES (?, 'answered')", id);
    const { ECHO_URL } = this.env;
    if (ECHO_URL !== undefined)
      this.ctx.waitUntil(
        fetch(ECHO_URL, { method: "POST", body: answer }).then((echoed) => echoed.text()),
      );
  }

  read(id: number): TurnRow {
    return this.ctx.storage.sql.exec<TurnRow>("SELECT * FROM turns WHERE id = ?", id).one();
  }

  /** Makes an object that holds nothing. */
  touch(): void {
    // Its tables are made when it is.
  }

  /** Nothing is due: what the alarm would do is the work of a harness. */
  override alarm(): void {
    // The alarm's own cost is what counts here.
  }
}

countRequests("Floor", Floor.prototype, ["start", "answer", "read", "alarm"]);

const app = new Hono<{ Bindings: Bindings }>();

app.post("/sessions/:session/turns", async (context) => {
  const { input } = await context.req.json<{ input: string }>();
  return context.json(await context.env.FLOOR.getByName(context.req.param("session")).start(input));
});

app.post("/sessions/:session/turns/:turn/answer", async (context) => {
  const { answer } = await context.req.json<{ answer: unknown }>();
  const stub = context.env.FLOOR.getByName(context.req.param("session"));
  await stub.answer(Number(context.req.param("turn")), JSON.stringify(answer));
  return context.json({ status: "answered" });
});

app.get("/sessions/:session/turns/:turn", async (context) => {
  const stub = context.env.FLOOR.getByName(context.req.param("session"));
  return context.json(await stub.read(Number(context.req.param("turn"))));
});

app.post("/sessions/:session", async (context) => {
  await context.env.FLOOR.getByName(context.req.param("session")).touch();
  return context.json({ status: "there" });
});

app.get("/healthz", (context) => context.json({ status: "ok" }));
app.get("/counts", () => countedRoute());

export default app;
