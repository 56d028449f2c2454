import { useTranslations } from "use-intl";
import { Button } from "../../components/Button.tsx";
import { Icon } from "../../components/Icon.tsx";
import type { ClosedReason } from "./phase.ts";
import { takesBets } from "./phase.ts";
import styles from "./RoomBar.module.css";
import { CLOSED_TEXT } from "./useFormatters.ts";
import { usePhase } from "./useRoomClock.ts";

interface RoomBarProps {
  onBuy: () => void;
  onRecall: () => void;
  /** Whether there is a bet to recall, and still time. */
  recallable: boolean;
  /** Why nothing is sold once the game is closed. */
  shut: ClosedReason;
}

/** The two actions of the room, and above them the reason why betting is closed. */
export function RoomBar({ onBuy, onRecall, recallable, shut }: RoomBarProps) {
  const t = useTranslations("room");
  const phase = usePhase();
  const open = takesBets(phase);
  const notice = !open && phase !== "connecting";
  return (
    <footer className={styles.bar} data-foot={notice ? "tall" : undefined}>
      <p className={styles.notice} role="status" data-testid="room-notice">
        {notice && (
          <>
            <Icon name="lock" size={16} />
            {t(phase === "game_closed" ? CLOSED_TEXT[shut] : "sealedNotice")}
          </>
        )}
      </p>
      <div className={styles.actions}>
        <Button onClick={onRecall} disabled={!recallable} data-testid="recall-open">
          {t("recall")}
        </Button>
        <Button
          variant="gold"
          onClick={onBuy}
          className={open ? undefined : styles.shut}
          data-testid="buy-open"
        >
          {t("buy")}
        </Button>
      </div>
    </footer>
  );
}
