import { expect, test } from "vitest";
import { dayOf } from "../../lib/dates.ts";
import { datesOf, emptyFilter, typeOf } from "./FilterDrawer.tsx";

test("missing dates are today", () => {
  expect(datesOf(emptyFilter())).toEqual({ begin_date: dayOf(), end_date: dayOf() });
});

test("days before the first that is offered or after today are moved to them", () => {
  const range = { begin: "1999-12-31", end: "2099-01-01", type: 0 };
  expect(datesOf(range)).toEqual({ begin_date: "2018-01-01", end_date: dayOf() });
});

test("a range put the wrong way round is turned", () => {
  expect(datesOf({ begin: "2026-11-20", end: "2026-11-03", type: 0 })).toEqual({
    begin_date: "2026-11-03",
    end_date: "2026-11-20",
  });
});

test("all sends no type; every other choice sends its index less one", () => {
  expect(typeOf({ ...emptyFilter(), type: 0 })).toEqual({});
  expect([1, 2, 3, 4, 5].map((type) => typeOf({ ...emptyFilter(), type }).type)).toEqual([
    0, 1, 2, 3, 4,
  ]);
});
