import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { useConfig } from "../../../api/commonQueries.ts";
import type { BetMessage } from "../../../api/types.ts";
import { PlayMoney } from "../../../components/Amount.tsx";
import { Button } from "../../../components/Button.tsx";
import { Sheet } from "../../../components/Sheet.tsx";
import { useBetText } from "../../../i18n/names.ts";
import { milliFromWire, minorFromWire } from "../../../lib/minorUnits.ts";
import { isGuest, useSession } from "../../../lib/session.ts";
import type { RoomAddress } from "../roomAddress.ts";
import { currentIssue, useRoom } from "../roomStore.ts";
import { GuestNotice, RetryNotice } from "../slip/BetNotices.tsx";
import { payoutMinor } from "../slip/betSlip.ts";
import { spendableMinor, useFunds } from "../slip/useFunds.ts";
import { useRoundOdds } from "../slip/useRoundOdds.ts";
import { useFormatters } from "../useFormatters.ts";
import styles from "./FollowDialog.module.css";
import { BotMark } from "./LiveBets.tsx";
import { useFollowBet } from "./useFollowBet.ts";

interface FollowDialogProps {
  room: RoomAddress;
  bet: BetMessage | null;
  onClose: () => void;
}

/** One confirmed bet on the same choice for the same amount. */
export default function FollowDialog({ room, bet, onClose }: FollowDialogProps) {
  const t = useTranslations("room.followDialog");
  const { attempt, confirm, cancel, problem } = useFollowBet(room, bet, onClose);
  const figures = useFormatters();
  const spendable = spendableMinor(useFunds());
  const visitor = useSession(isGuest);
  const short = spendable !== null && spendable < minorFromWire(bet?.quantity ?? 0);
  return (
    <Sheet
      open={bet !== null}
      onClose={onClose}
      title={t("title")}
      side="center"
      actions={
        visitor ? (
          <GuestNotice />
        ) : (
          <Button
            variant="gold"
            busy={attempt > 0}
            disabled={short}
            onClick={confirm}
            data-testid="follow-confirm"
          >
            {t("confirm", { amount: figures.units(bet?.quantity ?? 0) })}
          </Button>
        )
      }
    >
      {bet && <Details room={room} bet={bet} />}
      <RetryNotice attempt={attempt} onCancel={cancel} />
      {!visitor && <Problem text={short ? t("short") : problem} />}
    </Sheet>
  );
}

function Problem({ text }: { text: string | null }) {
  if (text === null) return null;
  return (
    <p className={styles.problem} role="alert">
      {text}
    </p>
  );
}

function Details({ room, bet }: { room: RoomAddress; bet: BetMessage }) {
  const t = useTranslations("room.followDialog");
  const demo = useConfig()?.demo;
  const rows = useRows(room, bet);
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
        <PlayMoney show={demo} /> {t("note")}
      </p>
    </>
  );
}

function Who({ bet }: { bet: BetMessage }) {
  return (
    <>
      {bet.bot && <BotMark />} {bet.nickname}
    </>
  );
}

/** The followed bet and its possible results; the odds once they are known. */
function useRows(room: RoomAddress, bet: BetMessage): [string, ReactNode][] {
  const t = useTranslations("room.followDialog");
  const figures = useFormatters();
  const kind = useBetText()(bet.play_type);
  const { data } = useRoundOdds(room, useRoom(currentIssue));
  const item = [...(data?.rule_base ?? []), ...(data?.rule_num ?? [])].find(
    (each) => each.class === bet.play_type,
  );
  const rows: [string, ReactNode][] = [
    [t("who"), <Who key="who" bet={bet} />],
    [t("round"), bet.issue],
    [t("kind"), kind],
    [t("stake"), `${figures.units(bet.quantity)}u`],
  ];
  if (item === undefined) return rows;
  const stakeMinor = minorFromWire(bet.quantity);
  const oddsMilli = milliFromWire(item.odds);
  return [
    ...rows,
    [t("odds"), figures.odds(oddsMilli)],
    [t("returns"), figures.percent(item.return_percent)],
    [t("best"), `${figures.signed(payoutMinor(stakeMinor, oddsMilli) - stakeMinor)}u`],
    [t("worst"), `${figures.signed(-stakeMinor)}u`],
  ];
}
