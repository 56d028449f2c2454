import { expect, test } from "vitest";
import { AWAY_MS, isDue, minutesOf, parseVisit, type Visit, visitAt } from "./visitTimer.ts";

const MINUTE = 60_000;

function stayed(visit: Visit, minutes: number): Visit {
  return visitAt(visit, visit.userId, visit.seen + minutes * MINUTE);
}

test("a visit counts its minutes for as long as the member comes back soon enough", () => {
  const begun = visitAt(null, "7", 0);
  const later = stayed(stayed(begun, 20), 25);
  expect(minutesOf(later)).toBe(45);
  expect(visitAt(later, "7", later.seen + AWAY_MS).since).toBe(0);
  expect(minutesOf(visitAt(later, "7", later.seen + AWAY_MS + 1))).toBe(0);
});

test("another member, or a clock set back, begins a new visit", () => {
  const begun = visitAt(null, "7", 10 * MINUTE);
  expect(visitAt(begun, "8", 11 * MINUTE).since).toBe(11 * MINUTE);
  expect(visitAt(begun, "7", MINUTE).since).toBe(MINUTE);
});

test("a reminder is due after its interval, counted from the last one, and never at 0", () => {
  const visit = stayed(visitAt(null, "7", 0), 15);
  expect(isDue(visit, 15)).toBe(true);
  expect(isDue(visit, 16)).toBe(false);
  expect(isDue(visit, 0)).toBe(false);
  expect(isDue({ ...visit, told: visit.seen }, 15)).toBe(false);
});

test("what storage holds is taken only if it is a visit", () => {
  const visit = visitAt(null, "7", 5);
  expect(parseVisit(JSON.stringify(visit))).toEqual(visit);
  for (const text of [null, "", "{", "[]", "3", '{"userId":"7","since":"x"}']) {
    expect(parseVisit(text)).toBeNull();
  }
});
