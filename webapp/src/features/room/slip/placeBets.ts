import { CallError, call } from "../../../api/client.ts";
import { isUndecided, newKey } from "../../../api/idempotencyKey.ts";
import type { BetKind } from "../../../lib/betKinds.ts";
import { milliFromWire, minorFromUnits } from "../../../lib/minorUnits.ts";
import { updateBalance } from "../../../lib/session.ts";
import type { RoomId } from "../roomAddress.ts";
import { applyOwnBet } from "../roomReducer.ts";
import { changeRoom } from "../roomStore.ts";
import { type BetIntent, keyFor, unansweredIssue, withKey, withoutKey } from "./betKeys.ts";
import { useSlip } from "./slipStore.ts";

export interface Accepted {
  readonly kind: BetKind;
  /** The round of the bet: an earlier one where the confirmation had been lost. */
  readonly issue: string;
  readonly stakeMinor: number;
  readonly oddsMilli: number;
}

export interface Refused {
  readonly kind: BetKind;
  readonly error: unknown;
  /** No answer came: the bet may have been placed. */
  readonly undecided: boolean;
}

export interface PlacementReport {
  readonly issue: string;
  readonly accepted: readonly Accepted[];
  readonly refused: readonly Refused[];
}

export interface BetRequest extends RoomId {
  readonly issue: string;
  readonly kinds: readonly BetKind[];
  /** Whole u on each. */
  readonly units: number;
  readonly signal: AbortSignal;
  readonly onAttempt: (attempt: number) => void;
}

/** Browsers open six connections to a host; the stream and a heartbeat need theirs. */
const AT_ONCE = 4;

/** Asks for a lost result of an earlier round first; the bet follows only if that was refused. */
async function placeBet(press: BetRequest, kind: BetKind): Promise<Accepted | Refused> {
  const { issue, planId, units } = press;
  const wanted: BetIntent = { issue, planId, kind, stakeMinor: minorFromUnits(units) };
  const earlier = unansweredIssue(useSlip.getState().keys, wanted);
  if (earlier === undefined) return sendBet(press, wanted);
  const became = await sendBet(press, { ...wanted, issue: earlier });
  const refused = "error" in became && !became.undecided;
  return refused ? sendBet(press, wanted) : became;
}

async function sendBet(press: BetRequest, wanted: BetIntent): Promise<Accepted | Refused> {
  const { gameId, units, signal, onAttempt } = press;
  const { issue, planId, kind, stakeMinor } = wanted;
  const key = keyFor(useSlip.getState().keys, wanted, newKey);
  useSlip.setState(({ keys }) => ({ keys: withKey(keys, wanted, key) }));
  const body = { issue, plan_id: planId, game_id: gameId, play_type: kind, money: units };
  try {
    const { data } = await call("Lottery/playOrder", body, { key, signal, onAttempt });
    updateBalance({ money: data.after_quantity, version: data.balance_version });
    const shown = { ...data, after_quantity: data.quantity, bot: false };
    changeRoom((room) => applyOwnBet(room, shown));
    // Last: after an error above the bet is reported as undecided, and repeated with the same key.
    useSlip.setState(({ keys }) => ({ keys: withoutKey(keys, wanted) }));
    return { kind, issue, stakeMinor, oddsMilli: milliFromWire(data.odds) };
  } catch (error) {
    const undecided = !(error instanceof CallError) || isUndecided(error.reason);
    if (!undecided) useSlip.setState(({ keys }) => ({ keys: withoutKey(keys, wanted) }));
    return { kind, error, undecided };
  }
}

/** Places one bet for each kind, a few at a time; never rejects, every bet is in the report. */
export async function placeBets(press: BetRequest): Promise<PlacementReport> {
  const waiting = [...press.kinds];
  const results: (Accepted | Refused)[] = [];
  const lane = async () => {
    for (let kind = waiting.shift(); kind !== undefined; kind = waiting.shift()) {
      results.push(await placeBet(press, kind));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  const refused = results.filter((result): result is Refused => "error" in result);
  const accepted = results.filter((result): result is Accepted => "oddsMilli" in result);
  return { issue: press.issue, accepted, refused };
}

/** Whether every bet was placed in the round of the press: then a toast is enough. */
export function allPlaced({ issue, accepted, refused }: PlacementReport): boolean {
  return refused.length === 0 && accepted.every((bet) => bet.issue === issue);
}

export function acceptedMinor(report: PlacementReport): number {
  return report.accepted.reduce((total, bet) => total + bet.stakeMinor, 0);
}
