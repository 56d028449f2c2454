import { useId, useState } from "react";
import { useTranslations } from "use-intl";
import { BreakNotice } from "../../components/BreakNotice.tsx";
import { IconButton } from "../../components/Button.tsx";
import { TopBar } from "../../components/Page.tsx";
import { WhenIdle } from "../../components/WhenIdle.tsx";
import { useGameName } from "../../i18n/names.ts";
import { formatClock } from "../../lib/dates.ts";
import { hallOf } from "../../lib/halls.ts";
import { lazyWithRetry } from "../../lib/lazyWithRetry.ts";
import { useOnline } from "../../lib/network.ts";
import { LazyAvatar } from "./RoomAvatar.tsx";
import styles from "./RoomTop.module.css";
import type { RoomAddress } from "./roomAddress.ts";
import { useRoom } from "./roomStore.ts";
import { usePhase, useStaleSince } from "./useRoomClock.ts";

const RoomMenu = lazyWithRetry(() => import("./RoomMenu.tsx"));

export function RoomTop({ room }: { room: RoomAddress }) {
  const t = useTranslations("room");
  const game = useGameName()(room.gameId, room.name);
  const { vip } = hallOf(room.planId);
  return (
    <div className={styles.top}>
      <TopBar
        title={t("title", { game, vip: String(vip) })}
        right={<Menu room={room} game={game} />}
      />
      <Banner room={room} />
      <div className={styles.rest}>
        <BreakNotice />
      </div>
    </div>
  );
}

function Banner({ room }: { room: RoomAddress }) {
  const t = useTranslations("room");
  const common = useTranslations("common");
  const phase = usePhase();
  // A stream may stay open for a while without a network.
  const connected = useRoom((state) => state.link);
  const link = useOnline() ? connected : "silent";
  const since = useStaleSince();
  const { vip, tier } = hallOf(room.planId);
  const hall = common(`tiers.t${tier}`);
  const place = t("status", { vip: String(vip), hall });
  return (
    <section className={styles.banner} aria-label={place}>
      <span className={styles.level}>
        <LazyAvatar size={22} />
        <span>{hall}</span>
      </span>
      <span className={styles.state} data-phase={phase} data-testid="room-state" role="status">
        {t(`phase.${phase}`)}
      </span>
      <span className={styles.link} data-link={link}>
        <i aria-hidden="true" />
        <span>{since > 0 ? common("stale", { time: formatClock(since) }) : t(`link.${link}`)}</span>
      </span>
    </section>
  );
}

function Menu({ room, game }: { room: RoomAddress; game: string }) {
  const t = useTranslations("room");
  const id = useId();
  const [asked, setAsked] = useState(false);
  return (
    <>
      <IconButton
        icon="plus"
        label={t("menu")}
        popoverTarget={id}
        onClick={() => setAsked(true)}
        data-testid="room-menu"
      />
      <WhenIdle now={asked}>
        <RoomMenu id={id} room={room} game={game} asked={asked} />
      </WhenIdle>
    </>
  );
}
