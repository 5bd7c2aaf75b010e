import { asSchema } from "ai";
import { afterEach, describe, expect, it, vi } from "vitest";
import { APPROVES_UP_TO_PERCENT, DECLINES_ABOVE_PERCENT } from "../src/agent/loan-request.ts";
import { loanDesk, loanDeskInstructions } from "../src/loan-desk.ts";

const options = { toolCallId: "call_1", messages: [], context: {} };

afterEach(() => {
  vi.restoreAllMocks();
});

describe("the loan desk", () => {
  it("states the policy that the demo model plays by", () => {
    expect(loanDeskInstructions).toContain(`up to ${APPROVES_UP_TO_PERCENT}%`);
    expect(loanDeskInstructions).toContain(`above ${DECLINES_ABOVE_PERCENT}%`);
    expect(loanDeskInstructions).toContain("ask the underwriter");
  });

  it("lets a lookup run freely, and each mail only with an approval", () => {
    expect(loanDesk.toolRules).toEqual({ look_up_application: { effect: false } });
    expect(loanDesk.approvals).toEqual({ send_email: "always" });
  });

  it("finds an application by its id, and says where there is none", async () => {
    const { execute } = loanDesk.tools.look_up_application;
    expect(await execute({ applicationId: " app-1008" }, options)).toMatchObject({
      status: "found",
      applicationId: "APP-1008",
      income: 5_000,
      debt: 2_350,
    });
    expect(await execute({ applicationId: "APP-9" }, options)).toMatchObject({
      status: "not_found",
    });
  });

  it("sends a mail to a real address only", async () => {
    const { validate } = asSchema(loanDesk.tools.send_email.inputSchema);
    const mail = { subject: "Loan", body: "Approved." };
    expect(await validate?.({ ...mail, to: "app-1008@applicants.example" })).toMatchObject({
      success: true,
    });
    expect(await validate?.({ ...mail, to: "nobody" })).toMatchObject({ success: false });
  });

  it("logs that a mail went out, and nothing of what it says or to whom", async () => {
    const log = vi.spyOn(console, "log").mockReturnValue(undefined);
    const mail = { to: "kofi@applicants.example", subject: "Loan", body: "Approved." };
    expect(await loanDesk.tools.send_email.execute(mail, options)).toEqual({
      status: "sent",
      to: "kofi@applicants.example",
    });
    expect(log).toHaveBeenCalledTimes(1);
    const [line] = log.mock.calls[0] ?? [];
    expect(JSON.parse(String(line))).toEqual({
      event: "loan_desk.email_sent",
      toolCallId: "call_1",
      characters: 9,
    });
  });
});
