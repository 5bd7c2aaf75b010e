import { expect, it } from "vitest";
import { accepted, readRun, refusal, send, startThread, waitingRun, message } from "./client.ts";
import { ASK, KEY, routesOf } from "./scripts.ts";

it("knows no other route, and no other method on a route, and says which one was asked for", async () => {
  const run = await waitingRun(ASK);
  const known = routesOf(run).map(([, path]) => path);
  const unknown = [
    ["GET", "/api/v1"],
    ["GET", "/api/v1/"],
    ["GET", "/api/v1/threads"],
    ["GET", "/api/v1/runs"],
    ["POST", "/api/v1/threads/"],
    ["GET", `/api/v1/threads/${run.thread_id}/`],
    ["GET", `/api/v1/threads/${run.thread_id}/inbox`],
    ["GET", `/api/v1/runs/${run.id}/resume`],
    ["POST", `/api/v1/runs/${run.id}/cancel`],
    ["POST", `/api/v1/runs/${run.id}/resume/more`],
    ["GET", "/api/v1/questions"],
    ["GET", "/api/v1/turns"],
    ...known.flatMap((path) =>
      ["PUT", "PATCH", "DELETE", "OPTIONS"].map((method) => [method, path]),
    ),
  ] as const;
  for (const [method = "", path = ""] of unknown) {
    const body = ["GET", "OPTIONS"].includes(method) ? undefined : {};
    expect(await refusal(send(method, path, body)), `${method} ${path}`).toEqual({
      status: 404,
      code: "not_found",
      details: { kind: "route", id: `${method} ${path}` },
    });
  }
  expect(await readRun(run.id)).toEqual(run);
});

it("needs a key on every route", async () => {
  const run = await waitingRun(ASK);
  for (const [method, path, body] of [
    ...routesOf(run),
    ["GET", "/api/v1/nothing", undefined] as const,
  ])
    for (const authorization of ["", "Bearer wrong", "Basic ZGV2OmtleQ=="])
      expect(await refusal(send(method, path, body, { authorization, ...KEY })), path).toEqual({
        status: 401,
        code: "unauthenticated",
        details: null,
      });
});

it("takes a workspace that is the key's own, and refuses any other on every route", async () => {
  const run = await waitingRun(ASK);
  for (const [method, path, body] of routesOf(run))
    for (const workspace of ["other", "", "DEV", "dev,other"])
      expect(
        await refusal(send(method, path, body, { "x-workspace-id": workspace, ...KEY })),
        path,
      ).toEqual({
        status: 403,
        code: "forbidden",
        details: null,
      });
  expect(await readRun(run.id)).toEqual(run);
  await accepted(
    send("GET", `/api/v1/runs/${run.id}`, undefined, { "x-workspace-id": "dev" }),
    200,
  );
});

it("refuses what a key has no right to", async () => {
  const run = await waitingRun(ASK);
  const reader = { authorization: "Bearer reader", ...KEY };
  for (const [method, path, body] of routesOf(run)) {
    const answer = send(method, path, body, reader);
    if (method === "GET") await accepted(answer, 200);
    else
      expect(await refusal(answer), path).toEqual({
        status: 403,
        code: "forbidden",
        details: null,
      });
  }
});

it("shows nothing of another workspace, and changes nothing in it", async () => {
  const run = await waitingRun(ASK);
  const other = { authorization: "Bearer other", ...KEY };
  for (const [method, path, body] of routesOf(run).slice(1)) {
    const [, kind = "", id] = /(thread|run)s\/([^/]+)/.exec(path) ?? [];
    const entry = { kind: "entry", id: run.source_entry_id };
    expect(await refusal(send(method, path, body, other)), path).toEqual({
      status: 404,
      code: "not_found",
      details: path.includes("/inbox/") ? entry : { kind, id },
    });
  }
  const body = { ...message(ASK), session_id: run.session_id };
  expect(await refusal(send("POST", "/api/v1/threads", body, other))).toMatchObject({
    status: 404,
    code: "not_found",
  });
  expect(await readRun(run.id)).toEqual(run);
});

it("lets two workspaces use one Idempotency-Key, each for its own", async () => {
  const one = await accepted(startThread(ASK, {}, { "idempotency-key": "shared" }), 201);
  const two = await accepted(
    startThread(ASK, {}, { "idempotency-key": "shared", authorization: "Bearer other" }),
    201,
  );
  expect(two.entry.id).not.toBe(one.entry.id);
});
