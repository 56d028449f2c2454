import { useEffect, useMemo, useState } from "react";
import type { Draw } from "../../api/types.ts";
import { answersOf } from "./model/answers.ts";
import { type AnsweredBet, announces, type Outcome, outcomeFromOrders } from "./model/outcome.ts";
import { ALL_SETTLED } from "./moment.ts";
import { useRefresh, useRoundBets } from "./queries.ts";
import { lastDraw, useRoom } from "./store.ts";

const STORAGE_KEY = "fairdraw.room.announced";
const KEPT_ISSUES = 50;

/** Issues whose win was announced on this device, so that a reload does not announce it again. */
function announcedIssues(): ReadonlySet<string> {
  return new Set((sessionStorage.getItem(STORAGE_KEY) ?? "").split(" "));
}

function noteAnnounced(name: string): void {
  const names = [...announcedIssues(), name].slice(-KEPT_ISSUES);
  sessionStorage.setItem(STORAGE_KEY, names.join(" "));
}

export interface Aftermath {
  readonly draw: Draw | null;
  /** Own bets on a draw that was watched; empty otherwise. */
  readonly answers: readonly AnsweredBet[];
  readonly win: Outcome | null;
}

/** What the last draw meant for the member, once its balls have settled. */
export function useAftermath(gameId: number, settled: number): Aftermath {
  const draw = useRoom(lastDraw);
  const watched = useRoom((room) => room.freshDraw?.issue_code);
  const told = useRoom((room) => room.outcome);
  const { data: orders } = useRoundBets(gameId, draw?.issue_code, true);
  const issue = draw?.issue_code;
  const outcome = useMemo(() => {
    if (issue === undefined) return null;
    return told?.issue === issue ? told : outcomeFromOrders(issue, orders ?? []);
  }, [issue, told, orders]);
  const refresh = useRefresh(gameId);
  const settledIssue = outcome?.issue;
  useEffect(() => {
    if (settledIssue !== undefined) void refresh();
  }, [settledIssue, refresh]);
  const shown = settled >= ALL_SETTLED;
  const win = useAnnounced(gameId, shown ? outcome : null);
  const answers = useMemo(
    () => (shown && draw && watched === issue ? answersOf(draw, orders ?? [], outcome) : []),
    [shown, draw, watched, issue, orders, outcome],
  );
  return { draw, answers, win };
}

/** The outcome while it is being announced for the first time. */
function useAnnounced(gameId: number, outcome: Outcome | null): Outcome | null {
  const [announced, setAnnounced] = useState<Outcome | null>(null);
  useEffect(() => {
    if (outcome === null) return;
    const name = `${gameId}:${outcome.issue}`;
    const named = { ...outcome, issue: name };
    if (!announces(named, announcedIssues())) return;
    noteAnnounced(name);
    setAnnounced(outcome);
  }, [gameId, outcome]);
  return announced;
}
