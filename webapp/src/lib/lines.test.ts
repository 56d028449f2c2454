import { expect, test } from "vitest";
import { addressOf } from "./lines.ts";
import { type Lines, parseSettings } from "./settings.ts";

const ONE = "https://line1.example";
const TWO = "https://line2.example";
const LINES: Lines = [ONE, TWO];

test("a page at one line calls its own address by that line, and the other's by the other", () => {
  expect(addressOf(0, LINES, ONE)).toBe("");
  expect(addressOf(1, LINES, ONE)).toBe(TWO);
  expect(addressOf(0, LINES, TWO)).toBe(ONE);
  expect(addressOf(1, LINES, TWO)).toBe("");
});

test.each(["https://elsewhere.example", "http://line1.example", "https://line1.example:8443"])(
  "a page at %s is at neither line, and stays with its own address",
  (page) => {
    expect(addressOf(0, LINES, page)).toBe("");
    expect(addressOf(1, LINES, page)).toBe("");
  },
);

test("without lines both are the page's own address", () => {
  expect(addressOf(0, ["", ""], ONE)).toBe("");
  expect(addressOf(1, ["", ""], ONE)).toBe("");
});

test("a device remembers its line and both addresses", () => {
  const kept = parseSettings(JSON.stringify({ line: 1, lines: LINES }));
  expect(kept).toMatchObject({ line: 1, lines: LINES });
});

test.each([[null], ["https://line1.example"], [[ONE]], [[ONE, 2]], [{ 0: ONE, 1: TWO }]])(
  "lines that were kept as %j are none",
  (lines) => {
    expect(parseSettings(JSON.stringify({ theme: "light", lines }))).toMatchObject({
      theme: "light",
      lines: ["", ""],
    });
  },
);
