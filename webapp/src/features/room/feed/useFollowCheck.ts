import { useTranslations } from "use-intl";
import type { BetMessage } from "../../../api/types.ts";
import { toast } from "../../../components/Toaster.tsx";
import { followVerdict } from "../phase.ts";
import type { RoomId } from "../roomAddress.ts";
import { currentIssue, phaseNow, useRoom } from "../roomStore.ts";
import { useClosedText } from "../useHall.ts";

/** Says why a bet cannot be followed now; true when it can. */
export function useFollowCheck(room: RoomId): (bet: BetMessage) => boolean {
  const t = useTranslations("room");
  const closedText = useClosedText(room);
  return (bet) => {
    const verdict = followVerdict(phaseNow(), bet.issue, currentIssue(useRoom.getState()));
    if (verdict === "closed") toast(closedText(), "bad");
    if (verdict === "not_current") toast(t("notCurrent"), "bad");
    return verdict === "ok";
  };
}
