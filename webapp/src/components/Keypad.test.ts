import { expect, test } from "vitest";
import { codeTyped } from "./Keypad.tsx";

function after(...keys: string[]): string {
  return keys.reduce(codeTyped, "");
}

test("digits are typed one after another, and the last one taken back", () => {
  expect(after("0", "4", "2")).toBe("042");
  expect(after("0", "4", "Backspace", "7")).toBe("07");
  expect(after("Backspace")).toBe("");
});

test("nothing but digits counts", () => {
  expect(after("1", "a", "Enter", "Shift", "F1", "12", "٣", " ", "2")).toBe("12");
});

test("a full code is not lengthened: the next digit begins another", () => {
  expect(after(..."123456")).toBe("123456");
  expect(after(..."1234567")).toBe("7");
});
