import { expect, it } from "vitest";
import { MAIL_CASES } from "./mail-cases.ts";
import { arrive, askPerson, read, send } from "./post-office.ts";

it.each(Object.entries(MAIL_CASES))(
  "takes the answer out of the mail %s",
  async (file, [question, answer]) => {
    const asked = await askPerson(question);
    const { replyTo } = await send(asked);
    expect(await arrive(file, replyTo)).toEqual({ replies: [] });
    expect(await read(asked.requestId)).toMatchObject({
      status: "answered",
      answer,
      answeredBy: "dana@lender.example",
      answeredVia: "email",
    });
  },
);
