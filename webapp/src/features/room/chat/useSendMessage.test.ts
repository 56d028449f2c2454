import { expect, test } from "vitest";
import { lengthOf } from "../../../lib/textLength.ts";
import { MOST, recent, restSeconds, WITHIN_MS } from "./useSendMessage.ts";

test("five messages within ten seconds are enough, until the first of them is ten seconds old", () => {
  const saidAt = [0, 1_000, 2_000, 3_000];
  expect(restSeconds(saidAt, 4_000)).toBe(0);
  const five = [...saidAt, 4_000];
  expect(restSeconds(five, 4_000)).toBe(6);
  expect(restSeconds(five, WITHIN_MS - 1)).toBe(1);
  expect(restSeconds(five, WITHIN_MS)).toBe(0);
});

test("no more is remembered than counts", () => {
  const saidAt = Array.from({ length: 1_000 }, (_, at) => at);
  expect(recent(saidAt, 1_000)).toHaveLength(MOST);
  expect(recent(saidAt, WITHIN_MS + 1_000)).toEqual([]);
});

test("a character counts once, however it is stored, and blanks at the ends do not", () => {
  expect(lengthOf("  多 空 ")).toBe(3);
  expect(lengthOf("👍👍")).toBe(2);
  expect(lengthOf(" \n ")).toBe(0);
});
