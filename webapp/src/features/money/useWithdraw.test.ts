import { expect, test } from "vitest";
import { CallError, unanswered } from "../../api/client.ts";
import { codeFailure, transferFailure } from "./useWithdraw.ts";

const refused = (reason: string, msg = "words") =>
  new CallError({ code: 0, msg, time: 0, data: null, reason });

test("a transfer that failed without words says so; with words they are shown", () => {
  expect(transferFailure(refused("anything", ""))).toBe("failed");
  expect(transferFailure(new TypeError("broken"))).toBe("failed");
  expect(transferFailure(refused("turnover_unmet"))).toBeNull();
  expect(transferFailure(unanswered("no_network"))).toBeNull();
});

test("a wrong code and a locked one are distinguished from other errors", () => {
  expect(codeFailure(refused("security_code_wrong"))).toBe("wrongCode");
  expect(codeFailure(refused("security_code_locked"))).toBe("lockedCode");
  expect(codeFailure(refused("turnover_unmet"))).toBeNull();
  expect(codeFailure(refused("toString"))).toBeNull();
});
