/**
 * A conversation with customer service, and functions that change none of their
 * arguments: those that return a conversation return a new one, or the same object
 * when nothing changed.
 */

import { newKey } from "../../api/idempotencyKey.ts";
import type { FromDesk, Reason } from "./deskConnection.ts";

export const MAX_LINES_KEPT = 200;

export interface Line {
  readonly id: string;
  readonly text: string;
  /** On the phone's clock, in ms. */
  readonly at: number;
  /** "desk" for the desk's messages, otherwise the status of the player's. */
  readonly state: "desk" | "sending" | "received" | Reason;
}

export interface Conversation {
  /** Random; the desk knows the conversation by it, also after a reconnect. */
  readonly visit: string;
  /** Whose conversation it is, "" for a visitor who has not signed in. */
  readonly user: string;
  readonly lines: readonly Line[];
  /** Lines of the desk that came while the panel was closed. */
  readonly unread: number;
  /** Whether the panel is open. */
  readonly watched: boolean;
}

export const newConversation = (user: string): Conversation => ({
  visit: newKey(),
  user,
  lines: [],
  unread: 0,
  watched: false,
});

const withLine = (before: Conversation, line: Line): Conversation => ({
  ...before,
  lines: [...before.lines, line].slice(-MAX_LINES_KEPT),
});

/** Adds a message of the player, to be sent. */
export const addMessage = (before: Conversation, text: string, now: number): Conversation =>
  withLine(before, { id: newKey(), text: text.trim(), at: now, state: "sending" });

/** Moves a refused message to the end, to be sent again under a new id. */
export function resend(before: Conversation, id: string, now: number): Conversation {
  const line = before.lines.find((each) => each.id === id);
  if (line === undefined) return before;
  const lines = before.lines.filter((each) => each !== line);
  return addMessage({ ...before, lines }, line.text, now);
}

/** Applies a frame from the desk. */
export function applyFrame(before: Conversation, frame: FromDesk, now: number): Conversation {
  if (frame.type === "state") return before;
  if (frame.type === "message") return addAnswer(before, frame.id, frame.text, now);
  const state = frame.type === "received" ? frame.type : frame.reason;
  const decided = (line: Line) => line.id === frame.id && line.state === "sending";
  if (!before.lines.some(decided)) return before;
  return {
    ...before,
    lines: before.lines.map((line) => (decided(line) ? { ...line, state } : line)),
  };
}

function addAnswer(before: Conversation, id: string, text: string, now: number): Conversation {
  if (before.lines.some((line) => line.id === id)) return before;
  const unread = before.watched ? 0 : before.unread + 1;
  return withLine({ ...before, unread }, { id, text, at: now, state: "desk" });
}

/** The panel was opened or closed; opening it marks everything as read. */
export const setWatched = (before: Conversation, watched: boolean): Conversation => ({
  ...before,
  watched,
  unread: watched ? 0 : before.unread,
});

/** What the desk has not acknowledged, in the order it was written. */
export const unsent = ({ lines }: Conversation): readonly Line[] =>
  lines.filter((line) => line.state === "sending");

/** Whether the player has written anything. */
export const hasBegun = ({ lines }: Conversation): boolean =>
  lines.some((line) => line.state !== "desk");

/** The id of the desk's newest line, "" without one. */
export const lastOfDesk = ({ lines }: Conversation): string =>
  lines.findLast((line) => line.state === "desk")?.id ?? "";

const isLine = (value: unknown): value is Line => {
  if (typeof value !== "object" || value === null) return false;
  const { id, text, at, state }: Partial<Record<keyof Line, unknown>> = value;
  return [id, text, state].every((each) => typeof each === "string") && typeof at === "number";
};

/** The stored conversation of this player, or a new one. */
export function parseConversation(text: string | null, user: string): Conversation {
  try {
    const stored: Partial<Conversation> | null = JSON.parse(text ?? "null");
    if (stored?.user !== user || typeof stored.visit !== "string") return newConversation(user);
    const lines = Array.isArray(stored.lines) ? stored.lines.filter(isLine) : [];
    const unread = typeof stored.unread === "number" ? stored.unread : 0;
    return {
      visit: stored.visit,
      user,
      lines: lines.slice(-MAX_LINES_KEPT),
      unread,
      watched: false,
    };
  } catch {
    return newConversation(user);
  }
}
