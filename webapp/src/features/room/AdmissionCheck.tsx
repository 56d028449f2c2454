import { useEffect, useEffectEvent } from "react";
import { useNavigate } from "react-router";
import { useTranslations } from "use-intl";
import { useProfile } from "../../api/commonQueries.ts";
import { toast } from "../../components/Toaster.tsx";
import { canEnter, hallOf } from "../../lib/halls.ts";
import { useSession } from "../../lib/session.ts";
import type { RoomId } from "./roomAddress.ts";

const key = ({ planId }: RoomId): string =>
  `fairdraw.entered.${useSession.getState().userId}.${planId}`;

interface AdmissionCheckProps {
  room: RoomId;
  /** In u; undefined until it is known. */
  joinLimit: number | undefined;
}

/**
 * Checks the hall's minimum balance when a room is opened by its address, and shows the list of
 * halls instead if it is not met. Checked once per session: bets lower the balance, and pages
 * reload.
 */
export default function AdmissionCheck({ room, joinLimit }: AdmissionCheckProps) {
  const common = useTranslations("common");
  const navigate = useNavigate();
  // A balance from before this page was loaded may be out of date.
  const known = useProfile().isSuccess && joinLimit !== undefined;
  const money = useSession((session) => session.money);
  const entry = known ? canEnter(joinLimit, money) : "unknown";
  const refuse = useEffectEvent(() => {
    toast(common("tooPoor"), "bad");
    const halls = { id: String(hallOf(room.planId).vip - 1), game_id: String(room.gameId) };
    navigate(`/lottery?${new URLSearchParams(halls)}`, { replace: true });
  });
  useEffect(() => {
    if (entry === "unknown" || sessionStorage.getItem(key(room)) !== null) return;
    if (entry === "open") sessionStorage.setItem(key(room), "1");
    else refuse();
  }, [entry, room]);
  return null;
}
