import { expect, test } from "vitest";
import { roundLength } from "./Rules.tsx";

test("a length says neither no minutes nor no seconds", () => {
  expect(roundLength(210)).toEqual({ told: "both", minutes: 3, seconds: 30 });
  expect(roundLength(30)).toEqual({ told: "seconds", minutes: 0, seconds: 30 });
  expect(roundLength(60)).toEqual({ told: "minutes", minutes: 1, seconds: 0 });
});
