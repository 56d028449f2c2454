import { useTranslations } from "use-intl";
import type { BetMessage } from "../../api/types.ts";
import { toast } from "../../components/toast.ts";
import { useClosedText } from "./closedText.ts";
import { followVerdict } from "./model/follow.ts";
import type { RoomId } from "./room.ts";
import { currentIssue, phaseNow, useRoom } from "./store.ts";

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
