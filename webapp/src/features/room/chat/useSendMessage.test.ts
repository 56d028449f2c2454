import { expect, test } from "vitest";
import { textLength } from "../../../lib/textLength.ts";
import { MAX_MESSAGES, recentlySent, secondsToWait, WINDOW_MS } from "./useSendMessage.ts";

test("five messages within ten seconds are enough, until the first of them is ten seconds old", () => {
  const saidAt = [0, 1_000, 2_000, 3_000];
  expect(secondsToWait(saidAt, 4_000)).toBe(0);
  const five = [...saidAt, 4_000];
  expect(secondsToWait(five, 4_000)).toBe(6);
  expect(secondsToWait(five, WINDOW_MS - 1)).toBe(1);
  expect(secondsToWait(five, WINDOW_MS)).toBe(0);
});

test("no more is remembered than counts", () => {
  const saidAt = Array.from({ length: 1_000 }, (_, at) => at);
  expect(recentlySent(saidAt, 1_000)).toHaveLength(MAX_MESSAGES);
  expect(recentlySent(saidAt, WINDOW_MS + 1_000)).toEqual([]);
});

test("a character counts once, however it is stored, and blanks at the ends do not", () => {
  expect(textLength("  多 空 ")).toBe(3);
  expect(textLength("👍👍")).toBe(2);
  expect(textLength(" \n ")).toBe(0);
});
