import { expect, test } from "vitest";
import { activeBlock } from "./protection.ts";

const NOW = 1_000;
const open = { time_out_until: 0, excluded_until: 0, excluded_for_good: false, closed: false };

test("bets are open without a break, and again when a break is over", () => {
  expect(activeBlock(open, NOW)).toBeNull();
  expect(activeBlock({ ...open, time_out_until: NOW }, NOW)).toBeNull();
});

test("of a time-out and an exclusion the longer is shown", () => {
  const both = { ...open, time_out_until: 1_500, excluded_until: 9_000 };
  expect(activeBlock(both, NOW)).toEqual({ reason: "excluded", until: 9_000 });
  expect(activeBlock({ ...both, excluded_until: 1_200 }, NOW)).toEqual({
    reason: "time_out",
    until: 1_500,
  });
});

test("an exclusion for good outlasts everything, and a closed account has no end", () => {
  const closed = { ...open, closed: true, time_out_until: 1_500 };
  expect(activeBlock(closed, NOW)).toEqual({ reason: "closed", until: null });
  expect(activeBlock({ ...closed, excluded_for_good: true }, NOW)).toEqual({
    reason: "excluded",
    until: null,
  });
});
