import { expect, test } from "vitest";
import examples from "../../../../api/http/openapi/examples/lottery.json";
import type { GameStatistics, ReturnRow } from "../../api/types.ts";
import { booksOf, isOutside, isUnlikely, probabilityText, tablesOf, wholeOf } from "./figures.ts";

const [, singapore] = examples["/api/Lottery/statistics"].data.games as unknown as [
  GameStatistics,
  GameStatistics,
];
const row = (changed: Partial<ReturnRow>): ReturnRow =>
  ({ kind: "big", odds_table: "balanced", book: "members", z_score: 0, ...changed }) as ReturnRow;
const newHouse: GameStatistics = { ...singapore, draws: 0, returns: [], uniformity: [] };

test("bots have figures of their own, and only where there are bots", () => {
  expect(booksOf(singapore)).toEqual(["members", "bots"]);
  expect(booksOf(newHouse)).toEqual(["members"]);
  expect(wholeOf(singapore, "bots")).not.toEqual(wholeOf(singapore, "members"));
});

test("all bets of a book are the sum of its kinds", () => {
  const [table] = tablesOf(singapore, "members");
  const bets = table?.rows.reduce((sum, { bets }) => sum + bets, 0);
  expect(wholeOf(singapore, "members")?.bets).toBe(bets);
  expect(table?.rows.map(({ kind }) => kind)).not.toContain("");
});

test("each odds table has its own rows", () => {
  const returns = [row({}), row({ odds_table: "card-21.04.02" }), row({ kind: "odd" })];
  const tables = tablesOf({ ...newHouse, returns }, "members");
  expect(tables.map(({ table, rows }) => [table, rows.map(({ kind }) => kind)])).toEqual([
    ["balanced", ["big", "odd"]],
    ["card-21.04.02", ["big"]],
  ]);
  expect(tablesOf({ ...newHouse, returns }, "bots")).toEqual([]);
});

test("a new house has nothing to show", () => {
  expect(wholeOf(newHouse, "members")).toBeUndefined();
  expect(tablesOf(newHouse, "members")).toEqual([]);
});

test("a z-score is outside from 2.58 standard deviations on, in both directions", () => {
  expect([2.57, -2.57].map((z_score) => isOutside(row({ z_score })))).toEqual([false, false]);
  expect([2.58, -2.58].map((z_score) => isOutside(row({ z_score })))).toEqual([true, true]);
  expect(isOutside(row({ z_score: null }))).toBe(false);
});

test("a probability is never shown as zero", () => {
  expect(probabilityText(0.0004, "en")).toBe("< 0.001");
  expect(probabilityText(0.5, "en")).toBe("0.5");
  expect(probabilityText(0.1234, "ru")).toBe("0,123");
  expect([0.009, 0.01].map(isUnlikely)).toEqual([true, false]);
});
