// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { hasConversation, SERVICE_KEY } from "./serviceMark.ts";
import { signIn, signOut } from "./session.ts";

const user = (id: number) => ({
  ...{ user_id: id, id, token: `t${id}`, money: 0 },
  ...{ group_id: 1 as const, username: `player${id}` },
});

test("who signs out, or in as another, leaves no conversation with customer service behind", () => {
  signIn(user(7));
  sessionStorage.setItem(SERVICE_KEY, "{}");
  signOut();
  expect(hasConversation()).toBe(false);
  sessionStorage.setItem(SERVICE_KEY, "{}");
  signIn(user(8));
  expect(hasConversation()).toBe(false);
});
