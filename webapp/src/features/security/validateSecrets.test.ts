import { expect, test } from "vitest";
import { codeDigits, codeProblems, modeOf, passwordProblems } from "./validateSecrets.ts";

const code = { old: "518372", fresh: "730184" };
const password = {
  old: "a-long-enough-word",
  fresh: "another-secret-2",
  confirm: "another-secret-2",
};

test("six digits and six other digits change a code", () => {
  expect(codeProblems(code)).toEqual({});
});

test("an empty code form asks for both codes", () => {
  expect(codeProblems({ old: "", fresh: "" })).toEqual({
    old: "needOldCode",
    fresh: "needNewCode",
  });
});

test.each(["1", "51837", "51837x", "５１８３７２"])("%s is no code", (typed) => {
  expect(codeProblems({ ...code, old: typed }).old).toBe("badCode");
  expect(codeProblems({ ...code, fresh: typed }).fresh).toBe("badCode");
});

test("the new code is another one", () => {
  expect(codeProblems({ ...code, fresh: code.old }).fresh).toBe("sameCode");
});

test("a code field takes six digits and nothing else", () => {
  expect(codeDigits("12 34-5a6789")).toBe("123456");
  expect(codeDigits("１２")).toBe("");
});

test("the old password and twice the same new one change a password", () => {
  expect(passwordProblems(password)).toEqual({});
});

test("an empty password form asks for all three", () => {
  expect(passwordProblems({ old: "", fresh: "", confirm: "" })).toEqual({
    old: "needOldPassword",
    fresh: "needNewPassword",
    confirm: "needConfirm",
  });
});

test("a new password has 8 to 64 characters and is typed twice the same", () => {
  for (const fresh of ["x".repeat(7), "x".repeat(65), "🂡".repeat(7)]) {
    expect(passwordProblems({ ...password, fresh, confirm: fresh })).toEqual({
      fresh: "badPassword",
    });
  }
  for (const fresh of ["x".repeat(8), "x".repeat(64), "🂡".repeat(64)]) {
    expect(passwordProblems({ ...password, fresh, confirm: fresh })).toEqual({});
  }
  expect(passwordProblems({ ...password, confirm: "x" }).confirm).toBe("mismatch");
});

test("a new password is another one", () => {
  const same = { ...password, fresh: password.old, confirm: password.old };
  expect(passwordProblems(same).fresh).toBe("samePassword");
});

test("the address chooses between the keypad and the fields, else whether a code is set", () => {
  expect(modeOf("false", true)).toBe("first");
  expect(modeOf("true", false)).toBe("change");
  expect(modeOf(null, undefined)).toBeNull();
  expect(modeOf("nonsense", true)).toBe("change");
  expect(modeOf(null, false)).toBe("first");
});
