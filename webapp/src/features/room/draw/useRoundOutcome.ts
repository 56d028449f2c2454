import { useEffect, useMemo, useState } from "react";
import type { Draw, Order } from "../../../api/types.ts";
import { isBetKind, winsOn } from "../../../lib/betKinds.ts";
import { milliFromWire, minorFromWire } from "../../../lib/minorUnits.ts";
import { useSession } from "../../../lib/session.ts";
import { useDraws, useRefresh, useRoundBets } from "../queries.ts";
import { lastDraw, roomTime, useRoom } from "../roomStore.ts";
import { payoutMinor } from "../slip/betSlip.ts";
import { isRecent } from "./latestDraws.ts";
import { type AnsweredBet, isUnannouncedWin, type Outcome, outcomeFromOrders } from "./outcome.ts";
import { DRAW_SHOWN } from "./useDrawAnimation.ts";

const STORAGE_KEY = "fairdraw.room.announced";
const KEPT_NAMES = 50;

/** Wins that were announced on this device, so that a reload does not announce them again. */
function announcedNames(): ReadonlySet<string> {
  return new Set((localStorage.getItem(STORAGE_KEY) ?? "").split(" "));
}

function saveAnnounced(name: string): void {
  const names = [...announcedNames(), name].slice(-KEPT_NAMES);
  localStorage.setItem(STORAGE_KEY, names.join(" "));
}

export interface RoundOutcome {
  readonly draw: Draw | null;
  /** Own bets on a draw that was watched; empty otherwise. */
  readonly answers: readonly AnsweredBet[];
  readonly win: Outcome | null;
}

/** What the last draw meant for the player, once its balls have settled. */
export function useRoundOutcome(gameId: number, settled: number): RoundOutcome {
  const draw = useRoom(lastDraw);
  const watched = useRoom((room) => room.freshDraw?.issue_code);
  const received = useRoom((room) => room.outcome);
  const { data: orders } = useRoundBets(gameId, draw?.issue_code, true);
  const issue = draw?.issue_code;
  const outcome = useMemo(() => {
    if (issue === undefined) return null;
    return received?.issue === issue ? received : outcomeFromOrders(issue, orders ?? []);
  }, [issue, received, orders]);
  const refresh = useRefresh(gameId);
  const settledIssue = outcome?.issue;
  useEffect(() => {
    if (settledIssue !== undefined) void refresh();
  }, [settledIssue, refresh]);
  const shown = settled >= DRAW_SHOWN;
  // A result that was drawn while the page was hidden is announced too, unless it is old.
  const draws = useDraws(gameId, draw);
  const result = outcome ?? received;
  const isAnnounced = shown && result !== null && isRecent(draws, result.issue, roomTime());
  const win = useAnnounced(gameId, isAnnounced ? result : null);
  const answers = useMemo(
    () => (shown && draw && watched === issue ? settleLocally(draw, orders ?? [], outcome) : []),
    [shown, draw, watched, issue, orders, outcome],
  );
  return { draw, answers, win };
}

/** The outcome while it is being announced for the first time. */
function useAnnounced(gameId: number, outcome: Outcome | null): Outcome | null {
  const [announced, setAnnounced] = useState<Outcome | null>(null);
  useEffect(() => {
    if (outcome === null) return;
    const name = `${useSession.getState().userId}:${gameId}:${outcome.issue}`;
    if (!isUnannouncedWin(outcome, name, announcedNames())) return;
    saveAnnounced(name);
    setAnnounced(outcome);
  }, [gameId, outcome]);
  return announced;
}

/** The player's bets on a drawn round, settled locally until the server's settlement is known. */

const OPEN_OR_SETTLED = [0, 1];

function settleBet(order: Order, sum: number): AnsweredBet {
  const stakeMinor = minorFromWire(order.quantity);
  const hit = isBetKind(order.play_type) && winsOn(order.play_type, sum);
  const paid = hit ? payoutMinor(stakeMinor, milliFromWire(order.odds)) : 0;
  return { orderNo: order.orderNo, kind: order.play_type, stakeMinor, payoutMinor: paid, hit };
}

/** The server's settlement where it is known, else computed from the draw. */
export function settleLocally(
  draw: Draw,
  orders: readonly Order[],
  settled: Outcome | null,
): readonly AnsweredBet[] {
  if (settled?.issue === draw.issue_code) return settled.bets;
  return orders
    .filter((order) => OPEN_OR_SETTLED.includes(order.status) && order.issue === draw.issue_code)
    .map((order) => settleBet(order, Number(draw.code)));
}
