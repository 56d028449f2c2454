import { useState } from "react";
import { useTranslations } from "use-intl";
import { CallError, call } from "../../../api/client.ts";
import { newKey } from "../../../api/idempotencyKey.ts";
import { toast } from "../../../components/Toaster.tsx";
import { useErrorText } from "../../../components/useErrorText.ts";
import { updateBalance } from "../../../lib/session.ts";
import { takesBets } from "../phase.ts";
import { useRefresh } from "../queries.ts";
import { applyOwnRecall } from "../roomReducer.ts";
import { changeRoom, currentIssue, phaseNow, useRoom } from "../roomStore.ts";

export interface RecallBets {
  /** What is being recalled: an order, all of them, or nothing. */
  readonly busy: string | null;
  /** Recalls one bet, or all of this round's, and shows the server's message. */
  readonly recall: (orderNo?: string) => Promise<void>;
}

/** The round closed before the recall arrived: the bet stays placed and will be settled. */
const TOO_LATE = ["round_closed", "round_not_current"];

async function recallBets(issue: string, gameId: number, orderNo?: string): Promise<string> {
  const body = { issue, game_id: gameId, ...(orderNo === undefined ? {} : { orderNo }) };
  const { data, msg } = await call("Lottery/recall", body, { key: newKey() });
  updateBalance({ money: data.after_quantity, version: data.balance_version });
  changeRoom((room) => applyOwnRecall(room, data.recalled));
  return String(msg);
}

export function useRecallBets(gameId: number): RecallBets {
  const t = useTranslations("room");
  const failure = useErrorText();
  const refresh = useRefresh(gameId);
  const [busy, setBusy] = useState<string | null>(null);
  const recall = async (orderNo?: string) => {
    const issue = currentIssue(useRoom.getState());
    if (busy !== null) return;
    if (issue === undefined || !takesBets(phaseNow())) return toast(t("mine.tooLate"), "bad");
    setBusy(orderNo ?? "all");
    try {
      toast(await recallBets(issue, gameId, orderNo), "good");
    } catch (error) {
      const late = error instanceof CallError && TOO_LATE.includes(error.reason);
      toast(late ? t("mine.tooLate") : failure(error), "bad");
    }
    await refresh();
    setBusy(null);
  };
  return { busy, recall };
}
