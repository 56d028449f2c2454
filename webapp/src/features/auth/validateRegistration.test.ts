import { expect, test } from "vitest";
import { randomCapitals, registerProblems, visitorName } from "./validateRegistration.ts";

const good = {
  username: "player01",
  password: "play-money-28",
  confirm: "play-money-28",
  invite: "",
};

test("a name of letters and digits and two equal passwords register; an invitation is optional", () => {
  expect(registerProblems(good)).toEqual({});
});

test.each(["playerone", "12345678", "ab1", "abcdefghijklmnop1", "player 01", "plåyer01"])(
  "the name %s does not register",
  (username) => expect(registerProblems({ ...good, username }).username).toBe("badUsername"),
);

test("each empty field is asked for", () => {
  expect(registerProblems({ username: "", password: "", confirm: "", invite: "" })).toEqual({
    username: "needUsername",
    password: "needPassword",
    confirm: "needConfirm",
  });
});

test("passwords that differ, or are too short, do not register", () => {
  expect(registerProblems({ ...good, confirm: "play-money-29" }).confirm).toBe("mismatch");
  expect(registerProblems({ ...good, password: "short1", confirm: "short1" }).password).toBe(
    "badPassword",
  );
});

test("a visitor's password is six capitals, without the bias of a bare remainder", () => {
  expect(randomCapitals(6)).toMatch(/^[A-Z]{6}$/);
  expect(randomCapitals(6, () => new Uint8Array([255, 234, 0, 25, 26, 51, 1, 233]))).toBe("AZAZBZ");
});

test("a visitor's name is the label and the Unix second", () => {
  expect(visitorName(1_700_000_000_999)).toBe("visitor1700000000");
});
