import { expect, test } from "vitest";
import { isDelayed } from "./useDrawAnimation.ts";

test("a change from elsewhere may wait", () => {
  expect(isDelayed({ value: 100, moves: 1 }, { value: 298, moves: 1 })).toBe(true);
  expect(isDelayed({ value: 0, moves: 1 }, { value: 298, moves: 1 })).toBe(true);
});

test("a change by the member's own bet or recall may not", () => {
  expect(isDelayed({ value: 100, moves: 1 }, { value: 90, moves: 2 })).toBe(false);
});

test("a figure that was not known does not wait, nor one that did not change", () => {
  expect(isDelayed({ value: null, moves: 0 }, { value: 100, moves: 0 })).toBe(false);
  expect(isDelayed({ value: undefined, moves: 0 }, { value: -3, moves: 0 })).toBe(false);
  expect(isDelayed({ value: 100, moves: 0 }, { value: 100, moves: 0 })).toBe(false);
});
