import { expect, test } from "vitest";
import { outcomeOf, parseOrder } from "./order.ts";

test("an order is pending, won, not profitable, recalled or voided", () => {
  expect(outcomeOf({ status: 0, whether_hit: 0 })).toBe("pending");
  expect(outcomeOf({ status: 1, whether_hit: 1 })).toBe("won");
  expect(outcomeOf({ status: 1, whether_hit: 0 })).toBe("lost");
  expect(outcomeOf({ status: 2, whether_hit: 0 })).toBe("recalled");
  expect(outcomeOf({ status: 3, whether_hit: 0 })).toBe("voided");
});

test.each([null, "", "{", "null", "7", '{"a":1}'])("the query %s holds no order", (text) => {
  expect(parseOrder(text)).toBeNull();
});

test("the query's order is read", () => {
  expect(parseOrder('{"orderNo":"A1","quantity":5}')?.orderNo).toBe("A1");
});
