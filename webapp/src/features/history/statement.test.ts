import { expect, test } from "vitest";
import { joined } from "./statement.ts";

test("the parts of a long statement have one head", () => {
  const parts = [
    "\ufeffid,amount\r\n3,1.00\r\n",
    "\ufeffid,amount\r\n2,5.00\r\n",
    "\ufeffid,amount\r\n",
  ];
  expect(joined(parts)).toBe("\ufeffid,amount\r\n3,1.00\r\n2,5.00\r\n");
  expect(joined(parts.slice(0, 1))).toBe(parts[0]);
});
