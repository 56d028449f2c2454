import { expect, test } from "vitest";
import { pageAt } from "./pageChunks.ts";

test("a page is found by its last segment without regard to case, and the start page by none", () => {
  expect(pageAt("/vip/betRoom")).toBe("betroom");
  expect(pageAt("/vip/")).toBe("home");
});

test("what every object has by its nature is no page", () => {
  expect(pageAt("/vip/nothing")).toBeUndefined();
  expect(pageAt("/vip/constructor")).toBeUndefined();
  expect(pageAt("/vip/__proto__")).toBeUndefined();
});
