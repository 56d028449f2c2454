import type { Proof, ProvenBet } from "../../api/types.ts";
import { canonical, fromHex, hex, joined, utf8 } from "./crypto/encoding.ts";
import type { Hashing } from "./crypto/hashing.ts";
import { leafHash, rootOf } from "./crypto/merkle.ts";
import { type ProofRequest, type Verdict, verdictOf } from "./verdict.ts";

/** One of the player's own bets, and what its receipt shows. */
export interface CheckedBet {
  bet: ProvenBet;
  /** Whether the receipt is the player's, for this round. */
  mine: Verdict;
  /** Whether it is in the sealed list; "unproved" when the server gave no path. */
  place: Verdict | "unproved";
  paid: Verdict;
}

const SETTLED = 1;
const VOIDED = 3;
/**
 * The check's own table, on purpose apart from lib/betKinds.ts: an error in the app's table must
 * not confirm itself when a draw is checked.
 */
const WINNING: Record<string, (sum: number) => boolean> = {
  big: (sum) => sum >= 14,
  small: (sum) => sum <= 13,
  odd: (sum) => sum % 2 === 1,
  even: (sum) => sum % 2 === 0,
  extreme_big: (sum) => sum >= 22,
  extreme_small: (sum) => sum <= 5,
};

/** A combination wins where both of its halves do; an unknown kind never wins. */
export function wins(kind: string, sum: number): boolean {
  if (/^\d+$/.test(kind)) return kind === String(sum);
  const halves = kind in WINNING ? [kind] : kind.split("_");
  return halves.every((half) => WINNING[half]?.(sum) ?? false);
}

export async function checkBet(
  hashing: Hashing,
  proof: Proof,
  bet: ProvenBet,
  asked: ProofRequest,
): Promise<CheckedBet> {
  return {
    bet,
    mine: await verdictOf(() => isOwn(hashing, proof, bet, asked)),
    place: await placeOf(hashing, proof, bet),
    paid: paidVerdict(proof, bet),
  };
}

async function isOwn(
  hashing: Hashing,
  { closes_at, frozen }: Proof,
  { receipt }: ProvenBet,
  { game_id, issue, player }: ProofRequest,
): Promise<boolean> {
  const owner = await hashing.sha256(joined(utf8(player), fromHex(receipt.salt)));
  const ofRound = receipt.game === String(game_id) && receipt.issue === issue;
  const inTime = receipt.at < (frozen?.record.closes_at ?? closes_at);
  return ofRound && inTime && hex(owner) === receipt.owner;
}

async function placeOf(
  hashing: Hashing,
  { frozen, state }: Proof,
  { receipt, index, path }: ProvenBet,
): Promise<CheckedBet["place"]> {
  if (frozen === null) return state === "open" ? "later" : "wrong";
  if (index === null || path === null) return "unproved";
  const { bets, count } = frozen.record;
  return verdictOf(async () => {
    const leaf = await leafHash(hashing, utf8(canonical(receipt)));
    const root = await rootOf(hashing, leaf, index, count, path);
    return root !== null && hex(root) === bets;
  });
}

function paidVerdict({ drawn, state }: Proof, bet: ProvenBet): Verdict {
  if (state === "voided") return bet.status === VOIDED ? "right" : "later";
  if (drawn === null || bet.status !== SETTLED) return state === "settled" ? "wrong" : "later";
  const { kind, stake_minor, odds_milli } = bet.receipt;
  const due = wins(kind, drawn.sum) ? Math.floor((stake_minor * odds_milli) / 1000) : 0;
  return bet.payout_minor === due ? "right" : "wrong";
}
