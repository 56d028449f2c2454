import { expect, test } from "vitest";
import { TAGS } from "../i18n/locale.ts";
import { dayOf, formatTime } from "./dates.ts";
import { parseCode } from "./draws.ts";
import { newKey } from "./key.ts";
import { formatMoney, formatSigned, formatUnits } from "./money.ts";
import { usernameIn } from "./remember.ts";
import { paintedTheme, parseSettings } from "./settings.ts";

test("money has two decimals, and a sign where it rises or falls", () => {
  expect(formatMoney(1234.5)).toBe("1,234.50");
  expect(formatSigned(12)).toBe("+12.00");
  expect(formatSigned(-3.5)).toBe("−3.50");
  expect(formatSigned(0)).toBe("0.00");
});

test.each(Object.values(TAGS))("figures are written as %s does", (tag) => {
  const money = new Intl.NumberFormat(tag, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const units = new Intl.NumberFormat(tag, { maximumFractionDigits: 2 });
  const minor = [0, 1, 5, 10, 99, 100, 105, 12_345, 99_999, 100_000, 123_456_789, 9_999_999_999];
  for (const u of minor.map((each) => each / 100)) {
    expect(formatMoney(u, tag)).toBe(money.format(u));
    expect(formatMoney(-u, tag)).toBe(money.format(u));
    expect(formatUnits(u, tag)).toBe(units.format(u));
  }
});

test("a day is the operator's, eight hours ahead of UTC", () => {
  expect(dayOf(Date.UTC(2026, 10, 20, 16, 30))).toBe("2026-11-21");
  expect(formatTime(Date.UTC(2026, 10, 20, 16, 30) / 1000)).toBe("2026-11-21 00:30:00");
});

test("a draw's code is three digits and a sum", () => {
  expect(parseCode("5 8 2 15")).toEqual({ digits: [5, 8, 2], sum: 15 });
});

test.each(["", "5 8 2", "5 8 2 15 1", "a b c d"])("%s is no draw", (code) => {
  expect(parseCode(code)).toBeNull();
});

test("keys have 128 bits and do not repeat", () => {
  expect(newKey()).toMatch(/^[0-9a-f]{32}$/);
  expect(newKey()).not.toBe(newKey());
});

test("the remembered name is found among other cookies", () => {
  expect(usernameIn("a=1; fairdraw_username=player01; b=2")).toBe("player01");
  expect(usernameIn("a=1")).toBe("");
});

test("dark is the default, and a member may follow the phone", () => {
  expect(paintedTheme(parseSettings(null).theme, true)).toBe("dark");
  expect(paintedTheme("system", true)).toBe("light");
});
