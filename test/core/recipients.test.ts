import { describe, expect, it } from "vitest";
import type { Recipient } from "../../src/core/channel.ts";
import {
  addressedTo,
  alsoAddressedTo,
  type Directory,
  isAddressedTo,
  issueOfName,
  peopleAddressed,
  reaches,
} from "../../src/core/recipients.ts";

const DANA: Recipient = { name: "dana", email: "dana@lender.example" };
const KIM: Recipient = { name: "kim", slack: "U1", webhook: "https://kim.example/" };
const ADA: Recipient = { name: "ada" };
const DIRECTORY: Directory = new Map([
  ["dana", [DANA]],
  ["kim", [KIM]],
  ["ada", [ADA]],
  ["team", [DANA, KIM]],
]);
const NOBODY: Directory = new Map();

describe("issueOfName", () => {
  it("takes a configured name, or any where none is configured", () => {
    expect(issueOfName(DIRECTORY, "to", "team")).toBeUndefined();
    expect(issueOfName(NOBODY, "to", "whoever")).toBeUndefined();
  });

  it("names those there are, and never an address", () => {
    const issue = issueOfName(DIRECTORY, "to", "dana@lender.example");
    expect(issue).toEqual({ path: "to", message: "must be one of dana, kim, ada, team" });
  });
});

describe("who is asked", () => {
  const people = (to: string | undefined) => peopleAddressed(DIRECTORY, addressedTo(DIRECTORY, to));

  it("is one person by name, each member of a group, or nobody in particular", () => {
    expect(people("dana")).toEqual([DANA]);
    expect(people("team")).toEqual([DANA, KIM]);
    expect(people(undefined)).toEqual([undefined]);
    expect(people("stranger")).toEqual([{ name: "stranger" }]);
  });

  it("gains those to whom it is escalated, each once", () => {
    const once = alsoAddressedTo(DIRECTORY, addressedTo(DIRECTORY, "dana"), "team");
    expect(once).toEqual({ to: "dana", recipients: ["team", "kim"] });
    expect(peopleAddressed(DIRECTORY, once)).toEqual([DANA, KIM]);
    expect(alsoAddressedTo(DIRECTORY, once, "kim")).toEqual(once);
    const fromNobody = alsoAddressedTo(DIRECTORY, {}, "ada");
    expect(peopleAddressed(DIRECTORY, fromNobody)).toEqual([undefined, ADA]);
  });
});

describe("isAddressedTo", () => {
  it("takes the name itself, a group's members, and those who came by an escalation", () => {
    const team = addressedTo(DIRECTORY, "team");
    for (const name of ["team", "dana", "kim"]) expect(isAddressedTo(team, name)).toBe(true);
    for (const name of ["ada", undefined]) expect(isAddressedTo(team, name)).toBe(false);
    expect(isAddressedTo(alsoAddressedTo(DIRECTORY, team, "ada"), "ada")).toBe(true);
  });

  it("takes a link for nobody where the question is for nobody, escalated or not", () => {
    expect(isAddressedTo({}, undefined)).toBe(true);
    expect(isAddressedTo({}, "dana")).toBe(false);
    expect(isAddressedTo(alsoAddressedTo(DIRECTORY, {}, "ada"), undefined)).toBe(true);
  });
});

it("reaches a recipient by the channels for which they have an address, and by those that need none", () => {
  expect(["email", "slack", "webhook", "deliver"].filter((each) => reaches(each, DANA))).toEqual([
    "email",
    "deliver",
  ]);
  expect(["email", "slack", "webhook", "pager"].filter((each) => reaches(each, KIM))).toEqual([
    "slack",
    "webhook",
    "pager",
  ]);
  // Without any address, or without a recipient, each channel knows its own default.
  expect(reaches("email", ADA)).toBe(true);
  expect(reaches("email", undefined)).toBe(true);
});
