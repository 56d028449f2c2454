import { describe, expect, it } from "vitest";
import { milliFromWire, minorFromWire, wholeUnits } from "./minorUnits.ts";

describe("money and odds as integers", () => {
  it.each([
    [0.29, 29],
    [1.1, 110],
    ["12480.50", 1248050],
    [-0.05, -5],
    [70368744177.66, 7036874417766],
    ["nonsense", 0],
  ])("%s u is %i minor units", (wire, minor) => {
    expect(minorFromWire(wire)).toBe(minor);
  });

  it.each([
    [1.98, 1980],
    [316.66, 316660],
    [950, 950000],
    ["3.8", 3800],
  ])("odds of %s are %i thousandths", (wire, milli) => {
    expect(milliFromWire(wire)).toBe(milli);
  });

  it("reads a stake only when it is whole", () => {
    expect(wholeUnits(" 250 ")).toBe(250);
    expect(["", "2.5", "-1", "1e3", "12a"].map(wholeUnits)).toEqual([null, null, null, null, null]);
  });
});
