import { useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { useConfig } from "../../../api/queries.ts";
import type { BetMessage } from "../../../api/types.ts";
import { Button } from "../../../components/Button.tsx";
import { Sheet } from "../../../components/Sheet.tsx";
import { toast } from "../../../components/toast.ts";
import { useFailureText } from "../../../i18n/failure.ts";
import { useKindText } from "../../../i18n/kinds.ts";
import { followVerdict } from "../model/follow.ts";
import { isBetKind } from "../model/kinds.ts";
import { payoutMinor } from "../model/slip.ts";
import { milliFromWire, minorFromWire, oddsText } from "../model/units.ts";
import { place } from "../placing.ts";
import { useOdds, useRefresh } from "../queries.ts";
import type { RoomAddress } from "../room.ts";
import { currentIssue, phaseNow, useRoom } from "../store.ts";
import { useFigures } from "../words.ts";
import styles from "./FollowDialog.module.css";

/** Says why a bet cannot be followed now; true when it can. */
export function useFollowCheck(): (bet: BetMessage) => boolean {
  const t = useTranslations("room");
  return (bet) => {
    const verdict = followVerdict(phaseNow(), bet.issue, currentIssue(useRoom.getState()));
    if (verdict === "closed") toast(t("closedToast"), "bad");
    if (verdict === "not_current") toast(t("notCurrent"), "bad");
    return verdict === "ok";
  };
}

interface FollowDialogProps {
  room: RoomAddress;
  bet: BetMessage | null;
  onClose: () => void;
}

/** One confirmed bet on the same choice for the same amount. */
export function FollowDialog({ room, bet, onClose }: FollowDialogProps) {
  const t = useTranslations("room.followDialog");
  const following = useFollowing(room, bet, onClose);
  const figures = useFigures();
  return (
    <Sheet
      open={bet !== null}
      onClose={onClose}
      title={t("title")}
      side="center"
      actions={
        <Button
          variant="gold"
          busy={following.busy}
          onClick={following.confirm}
          data-testid="follow-confirm"
        >
          {t("confirm", { amount: figures.units(bet?.quantity ?? 0) })}
        </Button>
      }
    >
      {bet && <Details room={room} bet={bet} />}
      {following.problem !== null && (
        <p className={styles.problem} role="alert">
          {following.problem}
        </p>
      )}
    </Sheet>
  );
}

function useFollowing(room: RoomAddress, bet: BetMessage | null, onClose: () => void) {
  const t = useTranslations("room");
  const check = useFollowCheck();
  const failure = useFailureText();
  const refresh = useRefresh(room.gameId);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<{ id: string; text: string } | null>(null);
  const pressed = useRef(new AbortController());
  const confirm = async () => {
    if (bet === null || !isBetKind(bet.play_type) || !check(bet)) return;
    setBusy(true);
    pressed.current = new AbortController();
    const { signal } = pressed.current;
    const about = { ...room, issue: bet.issue, kinds: [bet.play_type], units: bet.quantity };
    const { refused } = await place({ ...about, signal, onAttempt: () => undefined });
    setBusy(false);
    void refresh();
    const [failed] = refused;
    if (failed) {
      const text = failure(failed.error);
      return setProblem({ id: bet.id, text: failed.undecided ? t("report.unsure") : text });
    }
    toast(t("followDialog.done"), "good");
    onClose();
  };
  return { busy, confirm, problem: problem?.id === bet?.id ? (problem?.text ?? null) : null };
}

function Details({ room, bet }: { room: RoomAddress; bet: BetMessage }) {
  const t = useTranslations("room.followDialog");
  const slip = useTranslations("room.slip");
  const figures = useFigures();
  const kind = useKindText()(bet.play_type);
  const { data } = useOdds(room, useRoom(currentIssue));
  const demo = useConfig()?.demo ?? false;
  const item = [...(data?.rule_base ?? []), ...(data?.rule_num ?? [])].find(
    (each) => each.class === bet.play_type,
  );
  const stakeMinor = minorFromWire(bet.quantity);
  const oddsMilli = milliFromWire(item?.odds ?? 0);
  const rows = [
    [t("who"), bet.nickname],
    [t("round"), bet.issue],
    [t("kind"), kind],
    [t("stake"), `${figures.units(bet.quantity)}u`],
    ...(item
      ? [
          [t("odds"), oddsText(oddsMilli)],
          [t("returns"), figures.percent(item.return_percent)],
          [t("best"), `${figures.signed(payoutMinor(stakeMinor, oddsMilli) - stakeMinor)}u`],
          [t("worst"), `${figures.signed(-stakeMinor)}u`],
        ]
      : []),
  ];
  return (
    <>
      <dl className={styles.rows}>
        {rows.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p className={styles.note}>
        {demo && <b>{slip("playMoney")} · </b>}
        {t("note")}
      </p>
    </>
  );
}
