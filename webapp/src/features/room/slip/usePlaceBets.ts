import { useEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { toast } from "../../../components/Toaster.tsx";
import { useErrorToast } from "../../../components/useErrorText.ts";
import { wholeUnits } from "../../../lib/minorUnits.ts";
import { takesBets } from "../phase.ts";
import { useRefresh } from "../queries.ts";
import type { RoomId } from "../roomAddress.ts";
import { currentIssue, phaseNow, useRoom } from "../roomStore.ts";
import { useFormatters } from "../useFormatters.ts";
import { useClosedText } from "../useHall.ts";
import { useReportTitle } from "./PlacementReportView.tsx";
import { acceptedMinor, allPlaced, type PlacementReport, placeBets } from "./placeBets.ts";
import { dropKinds, saveStake, useSlip } from "./slipStore.ts";
import { type OddsTable, oddsChanges, useOddsNow } from "./useRoundOdds.ts";

export interface PlaceBets {
  /** Attempt under way, from 1; 0 while nothing is being sent. */
  readonly attempt: number;
  readonly report: PlacementReport | null;
  readonly dismiss: () => void;
  readonly buy: () => Promise<void>;
  readonly cancel: () => void;
  /** Why a press buys nothing now, where it is not on sale. */
  readonly closedText: () => string;
}

const firstAttempt = 1;

/**
 * Places the slip. Odds that changed since the selection stop it: the panel says
 * so and asks again. Accepted bets leave the slip, refused ones stay. Once the
 * panel is closed, a toast shows the result.
 */
export function usePlaceBets(room: RoomId, open: boolean, onAllPlaced: () => void): PlaceBets {
  const t = useTranslations("room");
  const figures = useFormatters();
  const title = useReportTitle();
  const failed = useErrorToast();
  const closedText = useClosedText(room);
  const refresh = useRefresh(room.gameId);
  const issue = useRoom(currentIssue);
  const oddsNow = useOddsNow(room, issue);
  const [attempt, setAttempt] = useState(0);
  const [report, setReport] = useState<PlacementReport | null>(null);
  const cancelling = useRef<AbortController | null>(null);
  const sending = useRef(false);
  const shown = useRef(open);
  useEffect(() => {
    shown.current = open;
  });

  const send = async (odds: OddsTable, issueNow: string, units: number) => {
    const { selected, stake } = useSlip.getState();
    if (oddsChanges(selected, odds).length > 0) return;
    const cancelled = new AbortController();
    cancelling.current = cancelled;
    const onAttempt = (number: number) => setAttempt((before) => Math.max(before, number));
    const kinds = [...selected.keys()];
    const { signal } = cancelled;
    const made = await placeBets({ ...room, issue: issueNow, kinds, units, signal, onAttempt });
    if (made.accepted.length > 0) saveStake(stake);
    dropKinds(made.accepted.map((bet) => bet.kind));
    void refresh();
    if (!allPlaced(made)) {
      setReport(made);
      if (!shown.current) toast(title(made), "bad");
      return;
    }
    const amount = figures.units(acceptedMinor(made) / 100);
    toast(t("report.all", { count: made.accepted.length, amount }), "good");
    onAllPlaced();
  };

  const buy = async () => {
    const units = wholeUnits(useSlip.getState().stake);
    if (issue === undefined || !takesBets(phaseNow())) return toast(closedText(), "bad");
    if (units === null || sending.current) return;
    sending.current = true;
    setReport(null);
    setAttempt(firstAttempt);
    try {
      await send(await oddsNow(), issue, units);
    } catch (error) {
      failed(error);
    } finally {
      sending.current = false;
      setAttempt(0);
    }
  };
  const cancel = () => cancelling.current?.abort();
  return { attempt, report, dismiss: () => setReport(null), buy, cancel, closedText };
}
