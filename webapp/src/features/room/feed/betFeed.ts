/** The live list of bets: merged by id, recalled ones gone, newest last. */

import type { BetMessage } from "../../../api/types.ts";

export const FEED_LIMIT = 300;
export const FEED_DROP = 30;
/** More than a heartbeat lists, and more than the list holds. */
export const RECALLS_KEPT = 300;

export interface Feed {
  readonly bets: readonly BetMessage[];
  /** Ids recalled of late; a late copy of such a bet must not come back. */
  readonly recalled: ReadonlySet<string>;
  /** The createtime of the newest bet dropped: older copies must not come back either. */
  readonly droppedUntil: number;
}

export function newFeed(): Feed {
  return { bets: [], recalled: new Set(), droppedUntil: -1 };
}

function trimmed(feed: Feed): Feed {
  if (feed.bets.length <= FEED_LIMIT) return feed;
  const droppedUntil = feed.bets[FEED_DROP - 1]?.createtime ?? feed.droppedUntil;
  return trimmed({ ...feed, bets: feed.bets.slice(FEED_DROP), droppedUntil });
}

/** Adds what is new of `incoming`; the same feed when nothing is. */
export function withBets(feed: Feed, incoming: readonly BetMessage[]): Feed {
  const known = new Set(feed.bets.map((bet) => bet.id));
  const fresh: BetMessage[] = [];
  for (const bet of incoming) {
    const id = bet.id;
    if (known.has(id) || feed.recalled.has(id) || bet.createtime <= feed.droppedUntil) continue;
    known.add(id);
    fresh.push(bet);
  }
  if (fresh.length === 0) return feed;
  const bets = [...feed.bets, ...fresh].sort((a, b) => a.createtime - b.createtime);
  return trimmed({ ...feed, bets });
}

/** Takes recalled bets out and keeps them out. */
export function withRecalled(feed: Feed, ids: readonly string[]): Feed {
  const fresh = ids.filter((id) => !feed.recalled.has(id));
  if (fresh.length === 0) return feed;
  const recalled = new Set([...feed.recalled, ...fresh].slice(-RECALLS_KEPT));
  return { ...feed, recalled, bets: feed.bets.filter((bet) => !fresh.includes(bet.id)) };
}
