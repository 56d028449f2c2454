/** The texts for why a segment was begun. */
const TEXTS = {
  witness_behind: "witness_behind",
  witness_unknowing: "witness_lost",
  day_unknown: "witness_lost",
  round_unknown: "witness_lost",
  witness_ahead: "house_behind",
  index_passed: "house_behind",
  restored: "house_restored",
  chain_lost: "chain_lost",
  round_frozen_otherwise: "contradiction",
  witness_contradicts: "witness_contradicts",
  witness_changed: "witness_changed",
  operator_changed: "operator_changed",
  schedule_changed: "schedule_changed",
  odds_changed: "odds_changed",
  beacon_changed: "beacon_changed",
  late_start: "late_start",
} as const;

type Text = (typeof TEXTS)[keyof typeof TEXTS] | "declined";

/** A reason as the server names it, and the name of the text for it. */
export interface FollowReason {
  text: Text;
  reason: string;
}

/**
 * The texts for the reasons of a segment. Another witness does not know the segment before: that
 * it has no records is no news then, and it has lost none.
 */
export function followReasons(reasons: readonly string[]): FollowReason[] {
  const found = reasons.map((reason) => ({ text: textOf(reason), reason }));
  const isAnother = reasons.includes("witness_changed");
  return isAnother ? found.filter(({ text }) => text !== "witness_lost") : found;
}

function textOf(reason: string): Text {
  return isKnown(reason) ? TEXTS[reason] : "declined";
}

function isKnown(reason: string): reason is keyof typeof TEXTS {
  return Object.hasOwn(TEXTS, reason);
}
