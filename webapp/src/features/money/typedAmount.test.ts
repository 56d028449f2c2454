import { expect, test } from "vitest";
import { asTyped, typedMinor } from "./typedAmount.ts";

test.each([
  ["150", 15_000],
  ["150.5", 15_050],
  ["150,50", 15_050],
  ["0.01", 1],
  [" 1 000 ", 100_000],
  ["１５０", 15_000],
])("%s is an amount", (text, minor) => {
  expect(typedMinor(text)).toBe(minor);
});

test.each(["", " ", "abc", "-5", "+5", "1e3", "1,000", "1.234", ".5", "5.", "0x10", "1.2.3", "∞"])(
  "%j is none",
  (text) => {
    expect(typedMinor(text)).toBeNull();
  },
);

test("an amount is typed back without a cent lost", () => {
  for (const minor of [1, 10, 99, 100, 15_050, 123_456_789]) {
    expect(typedMinor(asTyped(minor))).toBe(minor);
  }
});
