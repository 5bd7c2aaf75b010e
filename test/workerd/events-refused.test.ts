import { expect, it } from "vitest";
import { call, play } from "./client.ts";
import { refusal, start } from "./journey.ts";
import { openEvents, requestEvents } from "./reading.ts";

it("refuses a stream of what is not there, or is another workspace's", async () => {
  const turn = await play([{ text: "end" }]);
  for (const path of [
    `/v1/turns/${turn.id.slice(0, -2)}ff/events`,
    "/v1/turns/turn_x/events",
    "/v1/sessions/sess_0123456789abcdef01234567/events",
  ])
    expect(await refusal(requestEvents(path))).toMatchObject({ status: 404, code: "not_found" });
  for (const path of [`/v1/turns/${turn.id}/events`, `/v1/sessions/${turn.sessionId}/events`])
    expect(await refusal(requestEvents(path, { key: "other" }))).toMatchObject({ status: 404 });
});

it("refuses a Last-Event-ID that is of no event of the session", async () => {
  const turn = await play([{ text: "end" }]);
  const [first] = await (await openEvents(`/v1/turns/${turn.id}/events`)).rest();
  const seq = first?.id?.split(".")[0];
  for (const lastEventId of [
    "",
    "x",
    "1",
    "0.0",
    "-1.0",
    "01.0",
    `${seq}.7`,
    "9999.0",
    "2.0",
    "1e1.0",
  ])
    for (const path of [`/v1/turns/${turn.id}/events`, `/v1/sessions/${turn.sessionId}/events`])
      expect(await refusal(requestEvents(path, { lastEventId })), lastEventId).toMatchObject({
        status: 400,
        code: "invalid_request",
        issues: [{ path: "Last-Event-ID", message: "is not one of ours" }],
      });
  const nobody = requestEvents("/v1/sessions/nobody-yet/events", { lastEventId: "1.0" });
  expect(await refusal(nobody)).toMatchObject({ status: 400 });
});

it("asks for a key with the right to read", async () => {
  const turn = await play([{ text: "end" }]);
  const path = `/v1/turns/${turn.id}/events`;
  expect(await refusal(requestEvents(path, { key: "no-key" }))).toMatchObject({ status: 401 });
  expect(await refusal(requestEvents(path, { key: "runner" }))).toMatchObject({ status: 403 });
  const headers = { authorization: "Bearer runner", accept: "text/event-stream" };
  expect(await refusal(start([], { headers, session: "unread" }))).toMatchObject({ status: 403 });
  const unread = call("GET", "/v1/sessions/unread");
  expect(await refusal(unread), "nothing was started").toMatchObject({ status: 404 });
});
