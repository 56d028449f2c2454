/**
 * The state of a room after its events. Pure reducers: each returns the new
 * state, or the same object when nothing changed.
 */

import type { BetMessage, CurrentRound, Draw, Heart, RoundResult } from "../../api/types.ts";
import { type Outcome, outcomeFromEvent } from "./draw/outcome.ts";
import { FEED_LIMIT, type Feed, newFeed, withBets, withRecalled } from "./feed/betFeed.ts";
import { type HeartbeatState, heartbeatState } from "./phase.ts";
import { newClock, type ServerClock, withSample } from "./serverClock.ts";

/** How the room receives updates: by the stream, by polling, or not at all. */
export type Link = "live" | "polling" | "silent";

export interface RoomState {
  readonly link: Link;
  readonly heart: HeartbeatState | null;
  readonly clock: ServerClock;
  /** When the last event arrived, to a second, by the phone's clock; null before the first. */
  readonly heardMs: number | null;
  readonly feed: Feed;
  /** A draw that happened while the room was open, not one found on entering. */
  readonly freshDraw: Draw | null;
  readonly outcome: Outcome | null;
  /** Ids of the player's own bets placed here, as many as the live list holds. */
  readonly own: ReadonlySet<string>;
  /** How many bets of the player's were placed or recalled here. */
  readonly moves: number;
}

export function newRoom(): RoomState {
  return {
    link: "silent",
    heart: null,
    clock: newClock(),
    heardMs: null,
    feed: newFeed(),
    freshDraw: null,
    outcome: null,
    own: new Set(),
    moves: 0,
  };
}

/** By date, then by number: numbers of one date may differ in width after a change of schedule. */
export function isLater(issue: string, than: string): boolean {
  const date = issue.slice(0, 8);
  const thanDate = than.slice(0, 8);
  return date === thanDate ? Number(issue.slice(8)) > Number(than.slice(8)) : date > thanDate;
}

function laterDraw(known: Draw | null, read: Draw | null): Draw | null {
  if (read === null || known === null) return read ?? known;
  return isLater(read.issue_code, known.issue_code) ? read : known;
}

function isOvertaken(known: CurrentRound | null | undefined, read: CurrentRound | null): boolean {
  if (!known || !read) return false;
  return isLater(known.issue, read.issue);
}

export function applyHeartbeat(room: RoomState, heart: Heart, localMs: number): RoomState {
  return applyRound(heart.win ? applyResult(room, heart.win) : room, heart, localMs);
}

/** A heartbeat whose lists are complete and replace the feed: earlier events may be missing. */
export function resetFromHeartbeat(room: RoomState, heart: Heart, localMs: number): RoomState {
  return applyHeartbeat({ ...room, feed: newFeed() }, heart, localMs);
}

function applyRound(room: RoomState, heart: Heart, localMs: number): RoomState {
  const feed = withRecalled(withBets(room.feed, heart.message), heart.recalled);
  const read = heartbeatState(heart);
  if (isOvertaken(room.heart?.issue, read.issue)) return { ...room, feed };
  const last_issue = laterDraw(room.heart?.last_issue ?? null, read.last_issue);
  const clock = withSample(room.clock, heart.issue.now, localMs);
  return {
    ...room,
    heart: { ...read, last_issue },
    clock,
    feed,
    freshDraw: freshOf(room, last_issue),
  };
}

function freshOf(room: RoomState, draw: Draw | null): Draw | null {
  const known = room.heart?.last_issue;
  if (!draw || !known || draw.issue_code === known.issue_code) return room.freshDraw;
  return draw;
}

export function applyDraw(room: RoomState, draw: Draw): RoomState {
  if (room.heart === null) return room;
  const last_issue = laterDraw(room.heart.last_issue, draw);
  if (last_issue === room.heart.last_issue) return room;
  return { ...room, heart: { ...room.heart, last_issue }, freshDraw: draw };
}

export function applyBets(room: RoomState, bets: readonly BetMessage[]): RoomState {
  const feed = withBets(room.feed, bets);
  return feed === room.feed ? room : { ...room, feed };
}

export function applyRecall(room: RoomState, ids: readonly string[]): RoomState {
  const feed = withRecalled(room.feed, ids);
  return feed === room.feed ? room : { ...room, feed };
}

/** A bet of the player's own, placed here. */
export function applyOwnBet(room: RoomState, bet: BetMessage): RoomState {
  const own = new Set([...room.own, bet.id].slice(-FEED_LIMIT));
  return { ...applyBets(room, [bet]), own, moves: room.moves + 1 };
}

/** Bets of the player's own, recalled here. */
export function applyOwnRecall(room: RoomState, ids: readonly string[]): RoomState {
  return { ...applyRecall(room, ids), moves: room.moves + 1 };
}

/** Once a round: every heart repeats the newest result. */
export function applyResult(room: RoomState, result: RoundResult): RoomState {
  const known = room.outcome?.issue;
  if (known !== undefined && !isLater(result.issue, known)) return room;
  return { ...room, outcome: outcomeFromEvent(result) };
}

const HEARD_EVERY_MS = 1_000;

/** Called for every event, and when the connection is lost. */
export function applyLink(room: RoomState, link: Link, localMs: number): RoomState {
  const again = room.heardMs === null || localMs - room.heardMs >= HEARD_EVERY_MS;
  const heardMs = link !== "silent" && again ? localMs : room.heardMs;
  if (room.link === link && room.heardMs === heardMs) return room;
  return { ...room, link, heardMs };
}
