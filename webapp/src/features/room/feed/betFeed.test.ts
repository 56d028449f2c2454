import { describe, expect, it } from "vitest";
import type { BetMessage } from "../../../api/types.ts";
import { newFeed, withBets, withRecalled } from "./betFeed.ts";

const bet = (id: number, createtime = id): BetMessage => ({
  id: String(id),
  nickname: "Le***9",
  issue: "20261121007",
  play_method: "Big",
  play_type: "big",
  quantity: 10,
  after_quantity: 10,
  bot: false,
  createtime,
});
const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => bet(from + index));
const ids = (feed: { bets: readonly BetMessage[] }) => feed.bets.map((entry) => Number(entry.id));

describe("the live list", () => {
  it("merges by id and keeps the newest last", () => {
    const feed = withBets(withBets(newFeed(), [bet(3), bet(1)]), [bet(2), bet(3), bet(4)]);
    expect(ids(feed)).toEqual([1, 2, 3, 4]);
  });

  it("keeps the order of arrival within a second", () => {
    expect(ids(withBets(newFeed(), [bet(9, 5), bet(4, 5), bet(7, 5)]))).toEqual([9, 4, 7]);
  });

  it("stays the same object when a poll brings nothing new", () => {
    const feed = withBets(newFeed(), range(1, 5));
    expect(withBets(feed, range(2, 4))).toBe(feed);
    expect(withRecalled(feed, [])).toBe(feed);
  });

  it("takes a recalled bet out for good", () => {
    const feed = withRecalled(withBets(newFeed(), range(1, 3)), ["2"]);
    expect(ids(withBets(feed, range(1, 4)))).toEqual([1, 3, 4]);
  });

  it("keeps 300 and drops 30 from the front with the 301st", () => {
    const full = withBets(newFeed(), range(1, 300));
    expect(full.bets).toHaveLength(300);
    const over = withBets(full, [bet(301)]);
    expect(over.bets).toHaveLength(271);
    expect(over.bets[0]?.id).toBe("31");
    expect(over.bets.at(-1)?.id).toBe("301");
  });

  it("does not take back what it dropped", () => {
    const over = withBets(withBets(newFeed(), range(1, 300)), [bet(301)]);
    expect(withBets(over, range(1, 40))).toBe(over);
  });
});
