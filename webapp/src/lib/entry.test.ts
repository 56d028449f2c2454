import { expect, test } from "vitest";
import { entryTo } from "./entry.ts";

test("a hall is open to whoever holds its entry, and to all without one", () => {
  expect(entryTo(500, 500)).toBe("open");
  expect(entryTo(500, 499.99)).toBe("too_poor");
  expect(entryTo(0, 0)).toBe("open");
});

test("a balance that is not known yet refuses nobody", () => {
  expect(entryTo(500, null)).toBe("unknown");
  expect(entryTo(0, null)).toBe("open");
});
