import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { WithdrawInfo } from "../../api/types.ts";
import {
  firstAccount,
  firstBlocker,
  reasons,
  type WithdrawSnapshot,
  withdrawableMinor,
} from "./withdrawal.ts";

const examples = join(import.meta.dirname, "../../../../api/http/openapi/examples/user.json");
/** A member with a usable bank card, a code and no wallet; nothing is due or reserved. */
const example: WithdrawInfo = JSON.parse(readFileSync(examples, "utf8"))["/api/user/withdrawInfo"]
  .data;
const [card, none] = example.pay_list;
const NOW = example.cooling_until;

function standing(change: Partial<WithdrawInfo> = {}): WithdrawSnapshot {
  return { info: { ...example, money: 500, minimum: 100, ...change }, asOf: NOW };
}

const bare: Partial<WithdrawInfo> = {
  usercrud: false,
  code_is_set: false,
  pay_list: [{ ...none, type: 0 }, none],
};

test("what is missing is looked at in its order", () => {
  expect(firstBlocker(standing(bare), "")).toBe("baseInfo");
  expect(firstBlocker(standing({ ...bare, usercrud: true }), "")).toBe("account");
  expect(firstBlocker(standing({ code_is_set: false }), "")).toBe("code");
  expect(firstBlocker(standing(), " ")).toBe("amountMissing");
  expect(firstBlocker(standing(), "99.99")).toBe("tooSmall");
  expect(firstBlocker(standing(), "100")).toBeNull();
});

test("what is no amount is not taken for one", () => {
  for (const typed of ["abc", "-100", "1e5", "1,000"]) {
    expect(firstBlocker(standing(), typed)).toBe("amountWrong");
  }
});

test("an amount above the balance continues to the code: the server decides", () => {
  expect(firstBlocker(standing(), "501")).toBeNull();
});

test("who is excluded may take the whole of a small balance, and no other part of it", () => {
  const little = { money: 40 };
  expect(firstBlocker(standing({ ...little, leaving: true }), "40")).toBeNull();
  expect(firstBlocker(standing({ ...little, leaving: true }), "39")).toBe("tooSmall");
  expect(firstBlocker(standing(little), "40")).toBe("tooSmall");
  expect(firstBlocker(standing({ money: 0, leaving: true }), "0")).toBe("tooSmall");
});

test("nothing may go while turnover is due, a level is reserved or an account is new", () => {
  const quota = { level: 1, until: NOW + 60, due: 10 };
  const cooling: WithdrawInfo["pay_list"] = [{ ...card, usable_at: NOW + 1 }, none];
  const held = { turnover: { due: 5, done: 0 }, quota, pay_list: cooling };
  expect(reasons(standing(held), 0)).toEqual(["cooling", "quota", "turnover"]);
  expect(withdrawableMinor(standing(held), 0)).toBe(0);
  expect(reasons(standing({ ...held, leaving: true }), 0)).toEqual(["cooling"]);
  expect(withdrawableMinor(standing(), 0)).toBe(50_000);
});

test("bonus money counts once it is free, and holds nothing else back before", () => {
  const due = standing({ bonus: { money: 30, due: 60, usable_at: 0 } });
  expect([reasons(due, 0), withdrawableMinor(due, 0)]).toEqual([["bonus"], 50_000]);
  const early = standing({ bonus: { money: 30, due: 0, usable_at: NOW + 1 } });
  expect([reasons(early, 0), withdrawableMinor(early, 0)]).toEqual([["bonus"], 50_000]);
  const free = standing({ bonus: { money: 30, due: 0, usable_at: NOW } });
  expect([reasons(free, 0), withdrawableMinor(free, 0)]).toEqual([[], 53_000]);
});

test("the wallet is chosen where there is no card", () => {
  expect(firstAccount(standing().info)).toBe(0);
  const wallet = { ...none, is_set: true };
  expect(firstAccount(standing({ pay_list: [{ ...none, type: 0 }, wallet] }).info)).toBe(1);
});
