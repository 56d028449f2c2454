import { expect, test } from "vitest";
import { depositProblems, turnoverAfter, waysOf } from "./deposit.ts";

const recharge = {
  money: 0,
  usdt: "",
  bankname: "",
  banknum: "",
  bankxm: "",
  channels: ["usdt", "bank", "cheque"],
  room: null,
  turnover_due: 0,
  pending: 0,
};

test("only the ways that the house takes are offered, in our order", () => {
  expect(waysOf(recharge)).toEqual(["bank", "usdt"]);
});

test("a notice needs an amount, and a transfer its reference", () => {
  const empty = { amount: "", reference: " " };
  expect(depositProblems(empty, "bank", null)).toEqual({
    amount: "amountMissing",
    reference: "referenceMissing",
  });
  expect(depositProblems({ ...empty, amount: "0" }, "online", null)).toEqual({
    amount: "amountWrong",
  });
  expect(depositProblems({ amount: "x", reference: "A1" }, "usdt", null)).toEqual({
    amount: "amountWrong",
  });
  expect(depositProblems({ amount: "20,50", reference: "A1" }, "bank", null)).toEqual({});
});

test("a deposit above the member's own limit is said at once, up to the limit it is not", () => {
  const notice = (amount: string) => depositProblems({ amount, reference: "A1" }, "bank", 100);
  expect(notice("100.01")).toEqual({ amount: "aboveLimit" });
  expect(notice("100")).toEqual({});
});

test("a deposit adds its amount once to the turnover that is due", () => {
  expect(turnoverAfter(10.1, "20.20")).toBe(30.3);
  expect(turnoverAfter(10.1, "nonsense")).toBe(10.1);
});
