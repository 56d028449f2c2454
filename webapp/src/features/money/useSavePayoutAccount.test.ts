import { expect, test } from "vitest";
import { emptyFields, grouped } from "./useSavePayoutAccount.ts";

const ORDER = ["acc_name", "acc", "acc_bank"] as const;

test("each empty field has its own prompt, in the form's order", () => {
  const form = { type: 0, acc: "", acc_name: "  ", acc_bank: "A Bank" } as const;
  expect(emptyFields(form, ORDER)).toEqual(["acc_name", "acc"]);
  expect(emptyFields({ ...form, acc: "1", acc_name: "Ann" }, ORDER)).toEqual([]);
});

test("a card number is written in groups of four digits", () => {
  expect(grouped("6222021234567890123")).toBe("6222 0212 3456 7890 123");
  expect(grouped("6222-0212 3456")).toBe("6222 0212 3456");
  expect(grouped("６２２２０")).toBe("6222 0");
  expect(grouped("card")).toBe("");
});
