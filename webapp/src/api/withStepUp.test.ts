import { expect, test, vi } from "vitest";
import { CallError } from "./client.ts";
import { useStepUp, withStepUp } from "./withStepUp.ts";

function refusedWith(reason: string): CallError {
  return new CallError({ code: 0, msg: reason, time: 0, data: null, reason });
}

/** Refused until the password was given, as a session that was idle for long. */
function idleThen(answer: string) {
  return vi
    .fn<() => Promise<string>>()
    .mockRejectedValueOnce(refusedWith("step_up_needed"))
    .mockResolvedValue(answer);
}

const question = () => useStepUp.getState().question;
const asked = () => vi.waitFor(() => expect(question()).not.toBeNull());

test("what is accepted at once asks for no password", async () => {
  expect(await withStepUp(async () => "paid")).toBe("paid");
  expect(question()).toBeNull();
});

test("an idle session asks for the password and then runs again", async () => {
  const run = idleThen("paid");
  const running = withStepUp(run);
  await asked();
  expect(run).toHaveBeenCalledTimes(1);
  question()?.confirmed();
  expect(await running).toBe("paid");
  expect(question()).toBeNull();
});

test("closing the question cancels, and the next call asks again", async () => {
  const run = idleThen("paid");
  const running = withStepUp(run);
  await asked();
  question()?.closed();
  await expect(running).rejects.toMatchObject({ reason: "cancelled" });
  expect(run).toHaveBeenCalledTimes(1);
  const again = withStepUp(idleThen("later"));
  await asked();
  question()?.confirmed();
  expect(await again).toBe("later");
});

test("two calls at once are answered by one password", async () => {
  const both = Promise.all([withStepUp(idleThen("one")), withStepUp(idleThen("two"))]);
  await asked();
  question()?.confirmed();
  expect(await both).toEqual(["one", "two"]);
});

test("any other refusal is passed on", async () => {
  const running = withStepUp(() => Promise.reject(refusedWith("funds_insufficient")));
  await expect(running).rejects.toMatchObject({ reason: "funds_insufficient" });
  expect(question()).toBeNull();
});
