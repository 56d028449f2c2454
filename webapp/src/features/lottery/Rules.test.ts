import { expect, test } from "vitest";
import { roundLength } from "./Rules.tsx";

test("a length says neither no minutes nor no seconds", () => {
  expect(roundLength(210)).toEqual({ shown: "both", minutes: 3, seconds: 30 });
  expect(roundLength(30)).toEqual({ shown: "seconds", minutes: 0, seconds: 30 });
  expect(roundLength(60)).toEqual({ shown: "minutes", minutes: 1, seconds: 0 });
});
