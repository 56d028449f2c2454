import { afterEach, expect, test, vi } from "vitest";
import { newKey } from "../api/idempotencyKey.ts";
import { parseCode } from "../components/Balls.tsx";
import { usernameIn } from "../features/auth/useCompleteLogin.ts";
import { dayOf, formatMinute, formatTime, setOperatorTimezone } from "./dates.ts";
import { formatDateTime } from "./formatDateTime.ts";
import { LOCALES, tagOf } from "./locales.ts";
import { formatMoney, formatOdds, formatSigned, formatUnits } from "./money.ts";
import { activeTheme, parseSettings } from "./settings.ts";

afterEach(() => setOperatorTimezone("Asia/Singapore"));

test("money has two decimals, and a sign where it rises or falls", () => {
  expect(formatMoney(1234.5)).toBe("1,234.50");
  expect(formatSigned(12)).toBe("+12.00");
  expect(formatSigned(-3.5)).toBe("−3.50");
  expect(formatSigned(0)).toBe("0.00");
});

test.each(LOCALES.map(tagOf))("figures are written as %s does", (tag) => {
  const money = new Intl.NumberFormat(tag, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const units = new Intl.NumberFormat(tag, { maximumFractionDigits: 2 });
  const odds = new Intl.NumberFormat(tag, { maximumFractionDigits: 3 });
  const minor = [0, 1, 5, 10, 99, 100, 105, 12_345, 99_999, 100_000, 123_456_789, 9_999_999_999];
  for (const u of minor.map((each) => each / 100)) {
    expect(formatMoney(u, tag)).toBe(money.format(u));
    expect(formatMoney(-u, tag)).toBe(money.format(u));
    expect(formatUnits(u, tag)).toBe(units.format(u));
    expect(formatOdds(u / 10, tag)).toBe(odds.format(u / 10));
  }
});

test("odds have up to three decimals, none of them needless", () => {
  const written = [1.98, 3.8, 11, 316.66, 1.985, 950].map((odds) => formatOdds(odds));
  expect(written).toEqual(["1.98", "3.8", "11", "316.66", "1.985", "950"]);
  expect(formatOdds(1.98, "ru")).toBe("1,98");
});

test("a day is written year first whatever order a browser gives a locale", () => {
  const formats: { format: unknown } = Intl.DateTimeFormat.prototype;
  const american = vi.spyOn(formats, "format", "get");
  american.mockReturnValue(() => "11/21/2026");
  expect(dayOf(Date.UTC(2026, 10, 20, 16, 30))).toBe("2026-11-21");
  american.mockRestore();
});

test("a day is the operator's, eight hours ahead of UTC", () => {
  expect(dayOf(Date.UTC(2026, 10, 20, 16, 30))).toBe("2026-11-21");
  expect(formatTime(Date.UTC(2026, 10, 20, 16, 30) / 1000)).toBe("2026-11-21 00:30:00");
});

test("days and times follow the zone that the house names", () => {
  const at = Date.UTC(2026, 10, 20, 16, 30);
  setOperatorTimezone("Europe/Berlin");
  expect(dayOf(at)).toBe("2026-11-20");
  expect(formatTime(at / 1000)).toBe("2026-11-20 17:30:00");
  expect(formatDateTime(at / 1000, "en")).toBe("Nov\u00a020,\u00a02026, 17:30\u00a0GMT+1");
});

test.each([
  [tagOf("en"), "Nov\u00a023,\u00a02026, 00:05\u00a0GMT+8"],
  [tagOf("zh"), "2026年11月23日 00:05（GMT+8）"],
  [tagOf("tw"), "2026年11月23日 00:05（GMT+8）"],
  [tagOf("ja"), "2026年11月23日 00:05（GMT+8）"],
  [tagOf("ko"), "2026년\u00a011월\u00a023일 00:05(GMT+8)"],
  [tagOf("vi"), "00:05\u00a0(GMT+8) ngày\u00a023/11/2026"],
  [tagOf("ru"), "23\u00a0нояб.\u00a02026\u00a0г., 00:05\u00a0GMT+8"],
  [tagOf("my"), "23\u00a0Nov\u00a02026, 00:05\u00a0GMT+8"],
])("a moment to come is written as %s does", (tag, written) => {
  const moment = formatDateTime(Date.UTC(2026, 10, 22, 16, 5) / 1000, tag);
  expect(moment.replaceAll("\u2060", "")).toBe(written);
});

test.each([tagOf("zh"), tagOf("ko")])(
  "no line of %s breaks between a figure and its word",
  (tag) => {
    expect(formatDateTime(Date.UTC(2026, 10, 22, 16, 5) / 1000, tag)).not.toMatch(
      /\d[年月日년월일（(]/,
    );
  },
);

test("a zone that the device does not know changes nothing", () => {
  setOperatorTimezone("Mars/Base");
  expect(dayOf(Date.UTC(2026, 10, 20, 16, 30))).toBe("2026-11-21");
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
  expect(activeTheme(parseSettings(null).theme, true)).toBe("dark");
  expect(activeTheme("system", true)).toBe("light");
});

test("sales that begin at ten and last sixteen hours end at two the next day", () => {
  expect(formatMinute(600)).toBe("10:00");
  expect(formatMinute(600 + 960)).toBe("02:00");
  expect(formatMinute(5)).toBe("00:05");
});
