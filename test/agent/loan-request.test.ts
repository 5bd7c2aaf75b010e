import { describe, expect, it } from "vitest";
import { assess, readLoanRequest } from "../../src/agent/loan-request.ts";

describe("assess", () => {
  it.each([
    [5000, 1800, "approve", "36%"],
    [5000, 1802, "refer", "36.04%"],
    [51, 18.36, "approve", "36%"],
    [5000, 2350, "refer", "47%"],
    [5000, 2500, "refer", "50%"],
    [5000, 2501, "decline", "50.02%"],
    [3000, 1000, "approve", "33.3%"],
    [5000, 0, "approve", "0%"],
    [1, 1_000_000, "decline", "100000000%"],
  ])("judges income %d and debt %d as %s, at %s", (income, debt, verdict, ratio) => {
    expect(assess(income, debt)).toEqual({ verdict, ratio });
  });
});

describe("readLoanRequest", () => {
  it.each([
    ["income 5000, debt 2350"],
    ["Debt: 2350; income: 5000."],
    ["INCOME 5,000.00 DEBT 2,350.00"],
    ["monthly income of $5,000 and monthly debt payments of $2,350"],
    ["income (monthly): € 5.000,00, debt (monthly): € 2.350,00"],
    ["5000 income, 2350 debt"],
    ["5000 income 2350 debt"],
    ["2350 dollars of debt against 5000 dollars of monthly income"],
    ["income 5k and debts of 2.35k"],
    ["income: 5 000\ndebt: 2 350"],
    ['{"applicationId":"APP-1008","income":5000,"debt":2350}'],
    ["income-5000 debt-2350"],
    ["income - 5000, debt - 2350"],
    ["The debt-to-income ratio should be below 36%: income 5000, debt 2350"],
    ["APP-1008 income 5000 debt 2350"],
    ["Application 1008 income 5000, debt 2350"],
    ["USD 5000 income; USD 2350 debt"],
  ])("finds both figures in %j", (text) => {
    expect(readLoanRequest(text)).toMatchObject({ income: 5000, debt: 2350, mixesPeriods: false });
  });

  it.each([
    ["What is the debt-to-income ratio of 47% good for?"],
    ["My income and debt are private."],
    ["APP-1008"],
    [""],
  ])("finds no figures in %j", (text) => {
    expect(readLoanRequest(text)).toMatchObject({ income: undefined, debt: undefined });
  });

  it("finds the application's id", () => {
    expect(readLoanRequest("Pre-approve APP-1008: income 5000, debt 2350").applicationId).toBe(
      "APP-1008",
    );
    expect(readLoanRequest("LOAN-2 please").applicationId).toBe("LOAN-2");
    expect(readLoanRequest("no id here").applicationId).toBeUndefined();
  });

  it.each([
    ["and send an email", true],
    ["and e-mail the applicant", true],
    ["then mail it", true],
    ["but send no email", false],
    ["don't mail anyone", false],
    ["the applicant is mail@lender.example", false],
    ["use gmail", false],
  ])("sees whether %j wants a mail: %s", (text, wantsMail) => {
    expect(readLoanRequest(text).wantsMail).toBe(wantsMail);
  });

  it("reads a quarter of a million characters of anything in time that grows with their number", () => {
    for (const filler of ["a", "A", "1", "1,", "-", "a@", "income ", "no ", "5 000 "]) {
      const text = filler.repeat(Math.ceil(250_000 / filler.length));
      expect(readLoanRequest(text)).toHaveProperty("wantsMail");
    }
    // A pattern that tries each start anew would take hours.
  }, 60_000);
});
