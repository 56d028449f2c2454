import { expect, test } from "vitest";
import { outcomeOf, parseOrder } from "./order.ts";

test("an order is pending, won, not profitable, recalled or voided", () => {
  expect(outcomeOf({ status: 0, whether_hit: 0 })).toBe("pending");
  expect(outcomeOf({ status: 1, whether_hit: 1 })).toBe("won");
  expect(outcomeOf({ status: 1, whether_hit: 0 })).toBe("lost");
  expect(outcomeOf({ status: 2, whether_hit: 0 })).toBe("recalled");
  expect(outcomeOf({ status: 3, whether_hit: 0 })).toBe("voided");
});

const ORDER = {
  orderNo: "A1",
  issue: "20261122001",
  play_type: "big",
  game_id: 1,
  plan_id: 1,
  status: 1,
  quantity: 5,
  odds: 1.98,
  payout: 9.9,
  profit: 4.9,
  createtime: 1,
};

const NOT_ORDERS = [null, "", "{", "null", "7", '{"a":1}', '{"orderNo":"A1","quantity":5}'];
test.each(NOT_ORDERS)("the query %s holds no order", (text) => {
  expect(parseOrder(text)).toBeNull();
});

test("an order whose figures are words is not shown", () => {
  expect(parseOrder(JSON.stringify({ ...ORDER, odds: "high" }))).toBeNull();
});

test("the query's order is read", () => {
  expect(parseOrder(JSON.stringify(ORDER))?.orderNo).toBe("A1");
});
