import { expect, test } from "vitest";
import type { ChatMessage } from "../../../api/types.ts";
import {
  addMessages,
  addOwnMessage,
  beginsGroup,
  type ChatState,
  MAX_MESSAGES_KEPT,
  newChat,
  resetMessages,
  setWatched,
} from "./chatReducer.ts";

function line(id: string, createtime = 100, nickname = "an***n"): ChatMessage {
  return { id, nickname, words: `words of ${id}`, createtime };
}

const shown = (chat: ChatState) => chat.lines.map((each) => each.id);
const begun = () => addMessages(newChat(), [], []);

test("what was said is shown oldest first and once, however often it is heard", () => {
  const chat = addMessages(
    addMessages(newChat(), [line("b", 2), line("a", 1)], []),
    [line("b", 2)],
    [],
  );
  expect(shown(chat)).toEqual(["a", "b"]);
  expect(addMessages(chat, [line("b", 2)], [])).toBe(chat);
});

test("a line that was taken out goes, and a late copy of it stays away", () => {
  const chat = addMessages(addMessages(begun(), [line("a"), line("b")], []), [], ["a"]);
  expect(shown(chat)).toEqual(["b"]);
  expect([...chat.unread]).toEqual(["b"]);
  expect(shown(addMessages(chat, [line("a")], []))).toEqual(["b"]);
});

test("a line taken out while the stream was away goes with the next full list", () => {
  const chat = addMessages(begun(), [line("old", 1), line("a", 5), line("b", 6)], []);
  expect(shown(resetMessages(chat, [line("old2", 3), line("b", 6)], []))).toEqual([
    "old",
    "old2",
    "b",
  ]);
});

test("a line said here outlives a full list that is older than it", () => {
  const chat = addOwnMessage(addMessages(begun(), [line("a", 1)], []), line("mine", 9));
  expect(shown(resetMessages(chat, [line("a", 1), line("b", 2)], []))).toEqual(["a", "b", "mine"]);
});

test("an empty full list leaves what is known", () => {
  const chat = addMessages(begun(), [line("a", 1)], []);
  expect(shown(resetMessages(chat, [], []))).toEqual(["a"]);
});

test("what others said before one came is nothing unread, what they say from then on is", () => {
  const entered = addMessages(newChat(), [line("before")], []);
  expect(entered.unread.size).toBe(0);
  expect([...addMessages(entered, [line("before"), line("after")], []).unread]).toEqual(["after"]);
});

test("nothing is unread while the chat is visible", () => {
  const chat = setWatched(addMessages(begun(), [line("a")], []), true);
  expect(chat.unread.size).toBe(0);
  expect(addMessages(chat, [line("b")], []).unread.size).toBe(0);
  expect([...addMessages(setWatched(chat, false), [line("b")], []).unread]).toEqual(["b"]);
});

test("one's own line is known as such, from the answer or from the stream first", () => {
  const fromStream = addOwnMessage(addMessages(begun(), [line("mine")], []), line("mine"));
  const fromAnswer = addMessages(addOwnMessage(begun(), line("mine")), [line("mine")], []);
  for (const chat of [fromStream, fromAnswer]) {
    expect(shown(chat)).toEqual(["mine"]);
    expect(chat.own.has("mine")).toBe(true);
    expect(chat.unread.size).toBe(0);
  }
});

test("a whole evening of talk does not grow the chat", () => {
  let chat = begun();
  for (let at = 0; at < 1_000; at++) {
    chat = addMessages(chat, [line(`m${at}`, at)], at % 7 === 0 ? [`m${at - 3}`] : []);
    chat = addOwnMessage(chat, line(`own${at}`, at));
  }
  expect(chat.lines).toHaveLength(MAX_MESSAGES_KEPT);
  expect(chat.lines.at(-1)?.id).toBe("own999");
  for (const ids of [chat.gone, chat.own, chat.unread]) expect(ids.size).toBeLessThanOrEqual(300);
});

test("an author is named again after another one or a pause, and never twice in a row", () => {
  const own = new Set(["mine"]);
  const first = line("a", 100);
  expect(beginsGroup(undefined, first, own)).toBe(true);
  expect(beginsGroup(first, line("b", 160), own)).toBe(false);
  expect(beginsGroup(first, line("b", 160, "be***n"), own)).toBe(true);
  expect(beginsGroup(first, line("b", 900), own)).toBe(true);
  expect(beginsGroup(first, line("mine", 160), own)).toBe(true);
});
