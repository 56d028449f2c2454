/** Whether another player's bet can be followed. */

import { type Phase, takesBets } from "./phase.ts";

export type FollowVerdict = "ok" | "closed" | "not_current";

export function followVerdict(
  phase: Phase,
  betIssue: string,
  currentIssue: string | undefined,
): FollowVerdict {
  if (!takesBets(phase)) return "closed";
  return betIssue === currentIssue ? "ok" : "not_current";
}
