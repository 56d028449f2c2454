import { expect, test } from "vitest";
import {
  applyBalance,
  emptySession,
  parseSession,
  signedIn,
  signedOut,
  withoutToken,
  withProfile,
} from "./session.ts";

const user = {
  user_id: 7,
  id: 7,
  token: "t",
  money: 1000,
  group_id: 1 as const,
  username: "player01",
};

test("signing in stores token, ids, money and group, and keeps the chosen line", () => {
  const session = signedIn({ ...emptySession(), activeList: 1 }, user);
  expect(session).toMatchObject({
    token: "t",
    userId: "7",
    money: 1000,
    group_id: 1,
    activeList: 1,
  });
});

test("signing out clears all but the chosen line", () => {
  const session = signedOut(signedIn({ ...emptySession(), activeList: 1 }, user));
  expect(session).toEqual({ ...emptySession(), activeList: 1 });
});

test("a balance of an older version is ignored, of the same or a newer one taken", () => {
  const known = applyBalance(signedIn(emptySession(), user), { money: 900, version: 5 });
  expect(applyBalance(known, { money: 1000, version: 4 }).money).toBe(900);
  expect(applyBalance(known, { money: 901, version: 5 }).money).toBe(901);
  expect(applyBalance(known, { money: 950, version: 6 }).balanceVersion).toBe(6);
});

test("another member's first balance is taken, however low its version", () => {
  const before = applyBalance(signedIn(emptySession(), user), { money: 900, version: 500 });
  const after = signedIn(before, { ...user, user_id: 8, id: 8 });
  expect(applyBalance(after, { money: 3, version: 1 }).money).toBe(3);
});

test("the profile sets the name, the group and the ID card, and only a newer balance", () => {
  const before = applyBalance(signedIn(emptySession(), user), { money: 900, version: 5 });
  const profile = { username: "player02", group_id: 2, money: 1000, score: 30 } as const;
  const old = withProfile(before, { ...profile, idcard: null, version: 4 });
  expect(old).toMatchObject({
    username: "player02",
    group_id: 2,
    idcard: "",
    money: 900,
    score: 0,
  });
  const newer = withProfile(before, { ...profile, idcard: "****567D", version: 6 });
  expect(newer).toMatchObject({ idcard: "****567D", money: 1000, score: 30, token: "t" });
});

test.each([null, "", "{", "null", "7"])("stored text %s is an empty session", (text) => {
  expect(parseSession(text)).toEqual(emptySession());
});

test("the device keeps who signed in, but never the token", () => {
  const kept = withoutToken(user);
  expect(kept).toMatchObject({ user_id: user.user_id, money: user.money });
  expect(kept).not.toHaveProperty("token");
});

test("a new tab begins with the line that the device chose last, an old one keeps its own", () => {
  expect(parseSession(null, 1).activeList).toBe(1);
  expect(parseSession(JSON.stringify({ token: "t" }), 1).activeList).toBe(1);
  expect(parseSession(JSON.stringify({ activeList: 0 }), 1).activeList).toBe(0);
});
