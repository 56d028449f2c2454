/**
 * The chat of a hall after its events: merged by id, without removed messages, newest last.
 * Pure reducers: each returns the new state, or the same object when nothing
 * changed.
 */

import type { ChatMessage } from "../../../api/types.ts";

export const MAX_MESSAGES_KEPT = 200;
/** More than a heartbeat lists, so that a late copy of a removed message is ignored. */
const MAX_REMOVED_KEPT = 300;
const MAX_OWN_KEPT = 100;

export interface ChatState {
  readonly lines: readonly ChatMessage[];
  /** Ids of lines that staff took out. */
  readonly gone: ReadonlySet<string>;
  /** Ids of lines said here. */
  readonly own: ReadonlySet<string>;
  /** Ids of others' messages that arrived while the end of the chat was not visible. */
  readonly unread: ReadonlySet<string>;
  /** False until the first messages, which never count as unread. */
  readonly begun: boolean;
  readonly watched: boolean;
  /** Whether the player was welcomed, which happens once a visit. */
  readonly joined: boolean;
}

export function newChat(own: readonly string[] = []): ChatState {
  return {
    lines: [],
    gone: new Set(),
    own: new Set(own),
    unread: new Set(),
    begun: false,
    watched: false,
    joined: false,
  };
}

const newestOf = (ids: Iterable<string>, most: number): ReadonlySet<string> =>
  new Set([...ids].slice(-most));

/** Lines that may be new, and ids of those taken out, as each heartbeat repeats them. */
export function addMessages(
  chat: ChatState,
  said: readonly ChatMessage[],
  removed: readonly string[],
): ChatState {
  const next = withLines(without(chat, removed), said);
  return next.begun ? next : { ...next, begun: true, unread: new Set() };
}

/**
 * A heartbeat whose list is complete: a message that it lacks was removed. Except a
 * message sent here, which may be newer than the list.
 */
export function resetMessages(
  chat: ChatState,
  said: readonly ChatMessage[],
  removed: readonly string[],
): ChatState {
  const from = said[0]?.createtime ?? Number.POSITIVE_INFINITY;
  const listed = new Set(said.map((line) => line.id));
  const isKept = (line: ChatMessage) =>
    line.createtime <= from || listed.has(line.id) || chat.own.has(line.id);
  return addMessages({ ...chat, lines: chat.lines.filter(isKept) }, said, removed);
}

function withLines(chat: ChatState, said: readonly ChatMessage[]): ChatState {
  const known = new Set(chat.lines.map((line) => line.id));
  const fresh = said.filter((line) => !known.has(line.id) && !chat.gone.has(line.id));
  if (fresh.length === 0) return chat;
  const lines = [...chat.lines, ...fresh]
    .sort((a, b) => a.createtime - b.createtime)
    .slice(-MAX_MESSAGES_KEPT);
  const others = fresh.filter((line) => !chat.own.has(line.id)).map((line) => line.id);
  const unread = chat.watched
    ? chat.unread
    : newestOf([...chat.unread, ...others], MAX_MESSAGES_KEPT);
  return { ...chat, lines, unread };
}

function without(chat: ChatState, ids: readonly string[]): ChatState {
  const fresh = ids.filter((id) => !chat.gone.has(id));
  if (fresh.length === 0) return chat;
  const gone = newestOf([...chat.gone, ...fresh], MAX_REMOVED_KEPT);
  return {
    ...chat,
    gone,
    lines: chat.lines.filter((line) => !gone.has(line.id)),
    unread: new Set([...chat.unread].filter((id) => !gone.has(id))),
  };
}

/** A line that was said here. */
export function addOwnMessage(chat: ChatState, line: ChatMessage): ChatState {
  const own = newestOf([...chat.own, line.id], MAX_OWN_KEPT);
  const unread = new Set([...chat.unread].filter((id) => id !== line.id));
  return withLines({ ...chat, own, unread }, [line]);
}

/** Whether the end of the chat is visible, which marks all messages as read. */
export function setWatched(chat: ChatState, watched: boolean): ChatState {
  if (chat.watched === watched && !(watched && chat.unread.size > 0)) return chat;
  return { ...chat, watched, unread: watched ? new Set() : chat.unread };
}

const GROUP_S = 180;

/** Whether a message shows its author: after another author's message, or after a pause. */
export function beginsGroup(
  before: ChatMessage | undefined,
  line: ChatMessage,
  own: ReadonlySet<string>,
): boolean {
  if (before === undefined || before.nickname !== line.nickname) return true;
  return own.has(before.id) !== own.has(line.id) || line.createtime - before.createtime > GROUP_S;
}
