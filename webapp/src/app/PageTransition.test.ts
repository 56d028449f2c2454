import { expect, test } from "vitest";
import { slideBetween } from "./PageTransition.tsx";

test("a page later in route order comes in from the right, an earlier one from the left", () => {
  expect(slideBetween("/", "/lottery")).toBe("right");
  expect(slideBetween("/betRoom", "/lottery")).toBe("left");
});

test("paths compare without regard to case or slashes, and the same page does not slide", () => {
  expect(slideBetween("/BetRecord", "/betDetail/")).toBe("right");
  expect(slideBetween("/betRecord", "/BetRecord")).toBe("none");
});
