// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SERVICE_KEY, useServiceUnread } from "../../lib/serviceMark.ts";
import { emptySession, useSession } from "../../lib/session.ts";
import { resume, send, unwatch, useService, watch } from "./conversationStore.ts";
import { FakeSocket, here, newest } from "./fakeSocket.ts";

const ADDRESS = "wss://help.example/live";
const SECRETS = { token: "secret-token", username: "ann-secret", money: 1_234_567 };

beforeEach(() => {
  vi.stubGlobal("WebSocket", FakeSocket);
  FakeSocket.all = [];
  useSession.setState({ ...emptySession(), userId: "7777777", ...SECRETS });
});
afterEach(() => {
  useSession.setState({ ...emptySession(), userId: "nobody" });
  unwatch();
  vi.unstubAllGlobals();
});

test("the desk is sent what was typed, the language and a random id, and nothing of the account", () => {
  watch(ADDRESS);
  here();
  send("Where is my deposit?");
  const [hello, message, ...more] = newest().sent;
  expect(Object.keys(hello ?? {}).sort()).toEqual(["after", "language", "type", "visit"]);
  expect(Object.keys(message ?? {}).sort()).toEqual(["id", "text", "type"]);
  expect(more).toEqual([]);
  const all = newest().url + JSON.stringify(newest().sent);
  for (const secret of ["secret", "7777777", "1234567"]) expect(all).not.toContain(secret);
});

test("who asks nothing and closes the panel is disconnected", () => {
  watch(ADDRESS);
  here();
  unwatch();
  expect(newest().closed).toBe(true);
  expect(sessionStorage.getItem(SERVICE_KEY)).toBe(null);
});

test("who asks something hears of the answer with the panel closed", () => {
  watch(ADDRESS);
  here();
  send("Hello?");
  unwatch();
  expect(newest().closed).toBe(false);
  newest().says({ type: "message", id: "desk-2", text: "Here!" });
  expect(useServiceUnread.getState().count).toBe(1);
  watch(ADDRESS);
  expect(useServiceUnread.getState().count).toBe(0);
  expect(FakeSocket.all).toHaveLength(1);
});

test("what was typed without a connection is sent in order once there is one", () => {
  watch(ADDRESS);
  send("one");
  send("two");
  expect(newest().sent).toEqual([]);
  here();
  expect(newest().sent.map((each) => ("text" in each ? each.text : each.type))).toEqual([
    ...["hello", "one", "two"],
  ]);
});

test("another member finds nothing of the conversation, on the screen or in storage", () => {
  watch(ADDRESS);
  here();
  send("It is between us");
  const { visit } = useService.getState().conversation;
  const before = newest();
  useSession.setState({ userId: "8888888" });
  expect(before.closed).toBe(true);
  expect(sessionStorage.getItem(SERVICE_KEY)).toBe(null);
  expect(useService.getState().conversation.lines).toEqual([]);
  here();
  expect(newest().sent).not.toContainEqual(expect.objectContaining({ visit }));
});

test("after a reload only a conversation that had begun is connected", () => {
  resume(ADDRESS);
  expect(FakeSocket.all).toEqual([]);
  watch(ADDRESS);
  send("Hello?");
  expect(JSON.parse(sessionStorage.getItem(SERVICE_KEY) ?? "").lines).toHaveLength(1);
  resume(ADDRESS);
  expect(FakeSocket.all).toHaveLength(1);
});
