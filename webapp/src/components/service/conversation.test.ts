import { expect, test } from "vitest";
import {
  addMessage,
  applyFrame,
  type Conversation,
  hasBegun,
  lastOfDesk,
  MAX_LINES_KEPT,
  newConversation,
  parseConversation,
  resend,
  setWatched,
  unsent,
} from "./conversation.ts";
import { decodeFrame, encodeFrame, MAX_TEXT } from "./deskConnection.ts";

const answer = (id: string, text = "Hello") => ({ type: "message", id, text }) as const;
const open = () => setWatched(newConversation("7"), true);
const texts = ({ lines }: Conversation) => lines.map((line) => line.text);

test("a text is to be sent until the desk acknowledges it", () => {
  const asked = addMessage(open(), "  Where is it?\n", 1);
  const [line] = unsent(asked);
  expect(line?.text).toBe("Where is it?");
  expect(hasBegun(asked)).toBe(true);
  const sent = applyFrame(asked, { type: "received", id: line?.id ?? "" }, 2);
  expect(unsent(sent)).toEqual([]);
  expect(applyFrame(sent, { type: "refused", id: line?.id ?? "", reason: "too_fast" }, 3)).toBe(
    sent,
  );
});

test("a refused text is sent again at the end and under another id", () => {
  const asked = addMessage(addMessage(open(), "one", 1), "two", 1);
  const [first] = unsent(asked);
  const id = first?.id ?? "";
  const refused = applyFrame(asked, { type: "refused", id, reason: "too_fast" }, 2);
  expect(refused.lines[0]?.state).toBe("too_fast");
  const again = resend(refused, id, 3);
  expect(texts(again)).toEqual(["two", "one"]);
  expect(unsent(again).map((line) => line.id)).not.toContain(id);
  expect(resend(again, "unknown", 4)).toBe(again);
});

test("an answer is shown once, however often the desk sends it", () => {
  const heard = applyFrame(open(), answer("desk-1"), 1);
  expect(applyFrame(heard, answer("desk-1"), 2)).toBe(heard);
  expect(lastOfDesk(heard)).toBe("desk-1");
  expect(lastOfDesk(open())).toBe("");
});

test("answers are unread only while the panel is closed", () => {
  const closed = setWatched(applyFrame(open(), answer("desk-1"), 1), false);
  expect(closed.unread).toBe(0);
  const missed = applyFrame(applyFrame(closed, answer("desk-2"), 2), answer("desk-3"), 3);
  expect(missed.unread).toBe(2);
  expect(setWatched(missed, true).unread).toBe(0);
});

test("a long conversation does not grow without end", () => {
  let long = open();
  for (let at = 0; at < 1_000; at++) long = applyFrame(long, answer(`desk-${at}`), at);
  expect(long.lines).toHaveLength(MAX_LINES_KEPT);
  expect(lastOfDesk(long)).toBe("desk-999");
});

test("a reload keeps the conversation of the same member alone", () => {
  const asked = setWatched(addMessage(open(), "Hello", 1), false);
  const stored = JSON.stringify(asked);
  expect(parseConversation(stored, "7")).toEqual(asked);
  expect(parseConversation(stored, "8").lines).toEqual([]);
  expect(parseConversation(stored, "8").visit).not.toBe(asked.visit);
  for (const nonsense of [null, "", "{", "null", "[]", "3", '{"user":"7","lines":3}']) {
    expect(parseConversation(nonsense, "7").lines).toEqual([]);
  }
  const odd = JSON.stringify({ ...asked, lines: [null, 3, {}, ...asked.lines], unread: "x" });
  expect(parseConversation(odd, "7")).toEqual(asked);
});

test("two visits are not known by the same number", () => {
  expect(newConversation("7").visit).not.toBe(newConversation("7").visit);
  expect(newConversation("7").visit).toMatch(/^[0-9a-f]{32}$/);
});

test("an answer beyond all bounds is shortened by whole characters", () => {
  const frame = decodeFrame(JSON.stringify(answer("desk-1", "👍".repeat(5_000))));
  expect(frame?.type === "message" && Array.from(frame.text)).toHaveLength(4_001);
  expect(frame?.type === "message" && frame.text.endsWith("👍…")).toBe(true);
});

test("half a character, which no desk could decode, is replaced", () => {
  const frame = encodeFrame({ type: "message", id: "1", text: "a\ud83d b 👍" });
  expect(JSON.parse(frame).text).toBe("a\ufffd b 👍");
});

test("the longest text fits the desk's largest frame", () => {
  const text = "\u0001".repeat(MAX_TEXT);
  const frame = encodeFrame({ type: "message", id: "0".repeat(40), text });
  expect(new TextEncoder().encode(frame).length).toBeLessThan(16_384);
});
