import { useEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import type { BetMessage } from "../../../api/types.ts";
import { toast } from "../../../components/Toaster.tsx";
import { useErrorText } from "../../../components/useErrorText.ts";
import { isBetKind } from "../../../lib/betKinds.ts";
import { useRefresh } from "../queries.ts";
import type { RoomId } from "../roomAddress.ts";
import { allPlaced, placeBets } from "../slip/placeBets.ts";
import { useFollowCheck } from "./LiveBets.tsx";

export interface FollowBet {
  /** Attempt under way, from 1; 0 while nothing is being sent. */
  readonly attempt: number;
  readonly confirm: () => Promise<void>;
  readonly cancel: () => void;
  /** Why the bet in the dialog was not placed. */
  readonly problem: string | null;
}

/** Places the same bet as another's. Once the dialog was put away, a toast says what went wrong. */
export function useFollowBet(
  room: RoomId,
  bet: BetMessage | null,
  onPlaced: () => void,
): FollowBet {
  const t = useTranslations("room");
  const check = useFollowCheck(room);
  const failure = useErrorText();
  const refresh = useRefresh(room.gameId);
  const [attempt, setAttempt] = useState(0);
  const [problem, setProblem] = useState<{ id: string; text: string } | null>(null);
  const sending = useRef<AbortController | null>(null);
  const shown = useRef(bet);
  useEffect(() => {
    shown.current = bet;
  });
  const fail = (id: string, text: string) => {
    if (shown.current?.id === id) setProblem({ id, text });
    else toast(text, "bad");
  };
  const confirm = async () => {
    if (sending.current || bet === null || !isBetKind(bet.play_type) || !check(bet)) return;
    sending.current = new AbortController();
    const { signal } = sending.current;
    const about = { ...room, issue: bet.issue, kinds: [bet.play_type], units: bet.quantity };
    const made = await placeBets({ ...about, signal, onAttempt: setAttempt });
    sending.current = null;
    setAttempt(0);
    void refresh();
    const [refused] = made.refused;
    if (refused) {
      return fail(bet.id, refused.undecided ? t("report.unsure") : failure(refused.error));
    }
    toast(allPlaced(made) ? t("followDialog.done") : t("report.earlier"), "good");
    if (shown.current?.id === bet.id) onPlaced();
  };
  return {
    attempt,
    confirm,
    cancel: () => sending.current?.abort(),
    problem: problem !== null && problem.id === bet?.id ? problem.text : null,
  };
}
