import { expect, test } from "vitest";
import { CallError, unanswered } from "./client.ts";
import { FormKey } from "./idempotencyKey.ts";

const refused = (reason: string) =>
  new CallError({ code: 0, msg: "", time: 0, data: null, reason });

test("the same form has the same key until something is known of it", () => {
  const keys = new FormKey();
  const first = keys.of({ money: 150 });
  keys.failed(unanswered("no_network"));
  keys.failed(refused("outcome_unknown"));
  expect(keys.of({ money: 150 })).toBe(first);
  expect(keys.of({ money: 200 })).not.toBe(first);
});

test("what was accepted or refused is not asked for again under its key", () => {
  const keys = new FormKey();
  const first = keys.of({ money: 150 });
  keys.failed(refused("funds_insufficient"));
  const second = keys.of({ money: 150 });
  keys.decided();
  expect(new Set([first, second, keys.of({ money: 150 })]).size).toBe(3);
});
