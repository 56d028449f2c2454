import { describe, expect, it } from "vitest";
import type { OddsItem } from "../../../api/types.ts";
import { oddsChanges, oddsTable } from "./useRoundOdds.ts";

const item = (kind: string, odds: number): OddsItem => ({
  class: kind,
  class_name: kind,
  odds,
  ischeck: false,
  return_percent: 99,
});
const current = oddsTable({
  odds_table: "card-21.04.02",
  since: "",
  next: [],
  rule_base: [item("big", 1.98), item("odd", 1.95)],
  rule_num: [item("1", 316.66)],
  num_code: {},
});

describe("the odds of a slip", () => {
  it("are read as thousandths for both tabs", () => {
    expect([...current]).toEqual([
      ["big", 1980],
      ["odd", 1950],
      ["1", 316660],
    ]);
  });

  it("name what changed since it was selected and nothing else", () => {
    const selected = new Map([
      ["big", 1980],
      ["odd", 1980],
      ["even", 1980],
    ] as const);
    expect(oddsChanges(selected, current)).toEqual([
      { kind: "odd", wasMilli: 1980, isMilli: 1950 },
      { kind: "even", wasMilli: 1980, isMilli: 0 },
    ]);
  });
});
