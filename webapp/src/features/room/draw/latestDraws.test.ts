import { describe, expect, it } from "vitest";
import type { Draw } from "../../../api/types.ts";
import { DRAWS_KEPT, isRecent, latestDraws, withDraw } from "./latestDraws.ts";

const issue = (number: number) => `20261121${String(number).padStart(3, "0")}`;
const draw = (number: number): Draw => ({
  issue_code: issue(number),
  site_1: 1,
  site_2: 2,
  site_3: 3,
  code: 6,
  base: ["Small", "Even"],
  createtime: number,
});
const list = (from: number, to: number) =>
  Array.from({ length: from - to + 1 }, (_, at) => draw(from - at));
const issues = (draws: readonly Draw[]) => draws.map(({ issue_code }) => issue_code);

describe("the latest draws", () => {
  it("put a new draw in front and let the oldest go", () => {
    const full = latestDraws(list(140, 101));
    expect(full).toHaveLength(DRAWS_KEPT);
    const next = withDraw(full, draw(141));
    expect(issues(next).slice(0, 2)).toEqual([issue(141), issue(140)]);
    expect(next).toHaveLength(DRAWS_KEPT);
  });

  it("are the same list when the draw is known, older or missing", () => {
    const known = list(12, 9);
    expect(withDraw(known, draw(12))).toBe(known);
    expect(withDraw(known, draw(8))).toBe(known);
    expect(withDraw(known, null)).toBe(known);
  });

  it("begin with the first draw that is heard of", () => {
    expect(issues(withDraw([], draw(3)))).toEqual([issue(3)]);
  });

  it("are news while only one has come since, and no night", () => {
    const soon = 100_000;
    const recent = [12, 11, 10].map((number) => isRecent(list(12, 9), issue(number), soon));
    expect(recent).toEqual([true, true, false]);
    expect(isRecent(list(12, 9), issue(12), 8 * 3_600_000)).toBe(false);
  });
});
