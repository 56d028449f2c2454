/** Entries of the log: the bytes of a fact that its leaf hashes. */

import type { ProvenBet } from "../../../api/types.ts";
import { fromHex } from "../crypto/encoding.ts";

const PLACED = "bet-placed.1";

/** A fact as the log has it; `at` in microseconds, `state` as stored. */
export interface Entry {
  position: number;
  stream: string;
  topic: string;
  at: number;
  state: string;
}

/** Throws for what is not exactly one entry in hex. */
export function readEntry(text: string): Entry {
  const bytes = fromHex(text);
  const view = new DataView(bytes.buffer);
  const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let at = 0;
  const take = (length: number) => {
    at += length;
    if (at > bytes.length) throw new TypeError("a short entry");
    return at - length;
  };
  const u64 = () => Number(view.getBigUint64(take(8)));
  const words = (length: number) => {
    const start = take(length);
    return utf8.decode(bytes.subarray(start, at));
  };
  const lp = () => words(view.getUint16(take(2)));
  const [position, stream] = [u64(), lp()];
  u64(); // the version of the stream
  const [topic, time] = [lp(), u64()];
  lp(); // the command's id
  lp(); // the actor
  const state = words(view.getUint32(take(4)));
  if (at !== bytes.length) throw new TypeError("a long entry");
  return { position, stream, topic, at: time, state };
}

/** Whether an entry is this player's bet, with all that the receipt says. Throws for no JSON. */
export function isBetOf(entry: Entry, { receipt }: ProvenBet, player: string): boolean {
  const fact = JSON.parse(entry.state);
  return (
    entry.stream === `player-${player}` &&
    entry.topic === PLACED &&
    entry.at === receipt.at &&
    String(fact.game) === receipt.game &&
    fact.bet === receipt.bet &&
    fact.issue === receipt.issue &&
    fact.kind === receipt.kind &&
    fact.stake_minor === receipt.stake_minor &&
    fact.odds_milli === receipt.odds_milli &&
    fact.odds_table === receipt.odds_table &&
    fact.salt === receipt.salt
  );
}
