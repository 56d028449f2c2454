import { describe, expect, it } from "vitest";
import type { CurrentRound, Draw } from "../../api/types.ts";
import { clockText, fractionLeft, msLeft, roundSeconds } from "./countdown.ts";

const drawnAt = (createtime: number): Draw => ({
  issue_code: String(createtime),
  site_1: 0,
  site_2: 0,
  site_3: 0,
  code: 0,
  base: ["Small", "Even"],
  createtime,
});
const round: CurrentRound = {
  issue: "1",
  openTime1: 0,
  whether_close: 0,
  closes_at: 180_000,
  draws_at: 210_000,
  now: 0,
};

describe("the countdown", () => {
  it("runs to the close, then to the draw, and stops at nothing", () => {
    expect(msLeft(round, "open", 120_000)).toBe(60_000);
    expect(msLeft(round, "sealed", 204_000)).toBe(6_000);
    expect(msLeft(round, "drawing", 999_000)).toBe(0);
    expect(msLeft(null, "game_closed", 0)).toBe(0);
  });

  it("knows a round's length by its draws, whatever gap a night leaves", () => {
    expect(roundSeconds(undefined, [30_840, 30_420, 630, 420].map(drawnAt))).toBe(210);
    expect(roundSeconds(90_000, [drawnAt(60)])).toBe(30);
    expect(roundSeconds(90_000, [])).toBe(210);
  });

  it("empties to the close, then to the draw", () => {
    expect(fractionLeft("open", round, 90, 210)).toBe(0.5);
    expect(fractionLeft("sealed", round, 15, 210)).toBe(0.5);
    expect(fractionLeft("open", round, 999, 210)).toBe(1);
    expect(fractionLeft("game_closed", null, 0, 210)).toBe(0);
  });

  it("is written as minutes and seconds", () => {
    expect([0, 1, 1_000, 59_001, 60_000, 183_500].map(clockText)).toEqual([
      "0:00",
      "0:01",
      "0:01",
      "1:00",
      "1:00",
      "3:04",
    ]);
  });
});
