/**
 * One Idempotency-Key for each bet and press, kept until the server has decided.
 *
 * While the result is unknown (no network, cancelled, server overloaded)
 * the bet may be placed already; pressing again for the same bet then requests that
 * result with the old key instead of betting twice.
 */

import type { BetKind } from "../../../lib/betKinds.ts";

export type Keys = ReadonlyMap<string, string>;

export interface BetIntent {
  readonly issue: string;
  readonly planId: number;
  readonly kind: BetKind;
  readonly stakeMinor: number;
}

const nameOf = (bet: BetIntent): string =>
  `${bet.issue}/${bet.planId}/${bet.kind}/${bet.stakeMinor}`;

/** The key to send: the outstanding one of the same bet, else a fresh one. */
export function keyFor(keys: Keys, bet: BetIntent, fresh: () => string): string {
  return keys.get(nameOf(bet)) ?? fresh();
}

/** Far more than a player has outstanding; the oldest go. */
const KEPT = 200;

export function withKey(keys: Keys, bet: BetIntent, key: string): Keys {
  return new Map([...new Map(keys).set(nameOf(bet), key)].slice(-KEPT));
}

/**
 * An earlier round in which the same bet was sent and never answered. Its result
 * must be known first, or the player would have the bet twice.
 */
export function unansweredIssue(keys: Keys, bet: BetIntent): string | undefined {
  const same = nameOf({ ...bet, issue: "" });
  const name = [...keys.keys()].find((each) => each.endsWith(same) && each !== nameOf(bet));
  return name?.slice(0, -same.length);
}

/** Forgets the key once the server has decided: an acceptance or a refusal of its own. */
export function withoutKey(keys: Keys, bet: BetIntent): Keys {
  const rest = new Map(keys);
  rest.delete(nameOf(bet));
  return rest;
}
