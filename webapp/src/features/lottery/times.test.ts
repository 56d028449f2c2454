import { expect, test } from "vitest";
import { clockAt, lengthOf } from "./times.ts";

test("sales that begin at ten and last sixteen hours end at two the next day", () => {
  expect(clockAt(600)).toBe("10:00");
  expect(clockAt(600 + 960)).toBe("02:00");
  expect(clockAt(5)).toBe("00:05");
});

test("a length says neither no minutes nor no seconds", () => {
  expect(lengthOf(210)).toEqual({ told: "both", minutes: 3, seconds: 30 });
  expect(lengthOf(30)).toEqual({ told: "seconds", minutes: 0, seconds: 30 });
  expect(lengthOf(60)).toEqual({ told: "minutes", minutes: 1, seconds: 0 });
});
