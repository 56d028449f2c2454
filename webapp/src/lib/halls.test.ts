import { expect, test } from "vitest";
import { canEnter, hallOf } from "./halls.ts";

test("a hall is open to players with its required balance, and to all without one", () => {
  expect(canEnter(500, 500)).toBe("open");
  expect(canEnter(500, 499.99)).toBe("too_poor");
  expect(canEnter(0, 0)).toBe("open");
});

test("an unknown balance refuses no player", () => {
  expect(canEnter(500, null)).toBe("unknown");
  expect(canEnter(0, null)).toBe("open");
});

test("a plan's number gives the level and the hall, in every game", () => {
  expect([1, 5, 9, 10, 14, 36].map(hallOf)).toEqual([
    { vip: 1, tier: 0 },
    { vip: 2, tier: 1 },
    { vip: 3, tier: 2 },
    { vip: 1, tier: 0 },
    { vip: 2, tier: 1 },
    { vip: 3, tier: 2 },
  ]);
});
