import { expect, test } from "vitest";
import { fullness, holdsAtOnce, limitsOf, parseLimit, usedOf } from "./limitChange.ts";

test("amounts with at most two decimals are limits, with a point or a comma", () => {
  expect(parseLimit(" 20 ")).toBe(20);
  expect(parseLimit("0")).toBe(0);
  expect(parseLimit("12.5")).toBe(12.5);
  expect(parseLimit("12,50")).toBe(12.5);
  expect(parseLimit("1000000000")).toBe(1_000_000_000);
});

test.each([
  "",
  " ",
  "-1",
  "+1",
  "1.234",
  "1,000",
  "1e3",
  "ten",
  "１０",
  "1000000000.01",
  "NaN",
  ".",
])("%j is no limit", (typed) => {
  expect(parseLimit(typed)).toBeNull();
});

test("only what protects more holds at once", () => {
  expect(holdsAtOnce(null, 50)).toBe(true);
  expect(holdsAtOnce(50, 20)).toBe(true);
  expect(holdsAtOnce(50, 50)).toBe(true);
  expect(holdsAtOnce(50, 80)).toBe(false);
  expect(holdsAtOnce(50, null)).toBe(false);
  expect(holdsAtOnce(null, null)).toBe(true);
});

test("a bar is full at its limit, at a limit of nothing, and never beyond", () => {
  expect(fullness({ used: 25, amount: 100 })).toBe(0.25);
  expect(fullness({ used: 250, amount: 100 })).toBe(1);
  expect(fullness({ used: 0, amount: 0 })).toBe(1);
  expect(fullness({ used: 25, amount: null })).toBe(0);
});

test("a gain uses nothing of a loss limit", () => {
  expect(usedOf({ used: -40 })).toBe(0);
  expect(fullness({ used: -40, amount: 100 })).toBe(0);
});

test("limits stand by their span, and what is unknown is left out", () => {
  const limit = { amount: null, used: 0, left: null, next_amount: null, next_from: 0 };
  const sent = [
    { ...limit, subject: "loss", span: "month" },
    { ...limit, subject: "loss", span: "day" },
    { ...limit, subject: "deposit", span: "day" },
    { ...limit, subject: "loss", span: "year" },
  ];
  expect(limitsOf(sent, "loss").map(({ span }) => span)).toEqual(["day", "month"]);
});
