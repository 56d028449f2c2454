import { expect, test } from "vitest";
import { followReasons } from "./followReasons.ts";

test("each reason has its text, one that the page does not know is named", () => {
  expect(followReasons(["witness_behind", "odds_changed"])).toEqual([
    { text: "witness_behind", reason: "witness_behind" },
    { text: "odds_changed", reason: "odds_changed" },
  ]);
  expect(followReasons(["witness_contradicts"])).toEqual([
    { text: "witness_contradicts", reason: "witness_contradicts" },
  ]);
  expect(followReasons(["close_wrong"])).toEqual([{ text: "declined", reason: "close_wrong" }]);
  expect(followReasons(["constructor"])).toEqual([{ text: "declined", reason: "constructor" }]);
});

test("another witness is not said to have lost the records of the one before", () => {
  expect(followReasons(["day_unknown"])).toEqual([{ text: "witness_lost", reason: "day_unknown" }]);
  expect(followReasons(["day_unknown", "witness_changed"])).toEqual([
    { text: "witness_changed", reason: "witness_changed" },
  ]);
});
