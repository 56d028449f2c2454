import { expect, test } from "vitest";
import { lengthOf } from "./roundLength.ts";

test("a length says neither no minutes nor no seconds", () => {
  expect(lengthOf(210)).toEqual({ told: "both", minutes: 3, seconds: 30 });
  expect(lengthOf(30)).toEqual({ told: "seconds", minutes: 0, seconds: 30 });
  expect(lengthOf(60)).toEqual({ told: "minutes", minutes: 1, seconds: 0 });
});
