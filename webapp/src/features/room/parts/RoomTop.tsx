import { useQueryClient } from "@tanstack/react-query";
import { useId } from "react";
import { Link } from "react-router";
import { useTranslations } from "use-intl";
import { BreakNotice } from "../../../components/BreakNotice.tsx";
import { IconButton } from "../../../components/Button.tsx";
import { Icon, type IconName } from "../../../components/Icon.tsx";
import { TopBar } from "../../../components/TopBar.tsx";
import { useGameName } from "../../../i18n/names.ts";
import { clearCache } from "../../../lib/cache.ts";
import { formatClock } from "../../../lib/dates.ts";
import { useOnline } from "../../../lib/network.ts";
import { levelOf, type RoomAddress, useDrawsPath } from "../room.ts";
import { currentIssue, useRoom } from "../store.ts";
import { usePhase, useStaleSince } from "../time.ts";
import { Own } from "./Own.tsx";
import styles from "./RoomTop.module.css";

const TIERS = ["t0", "t1", "t2"] as const;

export function RoomTop({ room }: { room: RoomAddress }) {
  const t = useTranslations("room");
  const game = useGameName()(room.gameId, room.name);
  const { vip } = levelOf(room.planId);
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
  // A stream may stand for a while without a network, and tells nothing then.
  const connected = useRoom((state) => state.link);
  const link = useOnline() ? connected : "silent";
  const since = useStaleSince();
  const { vip, tier } = levelOf(room.planId);
  const hall = common(`tiers.${TIERS[tier] ?? "t0"}`);
  const place = t("status", { vip: String(vip), hall });
  return (
    <section className={styles.banner} aria-label={place}>
      <span className={styles.level}>
        <Own size={22} />
        <span>{place}</span>
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
  const limits = useTranslations("breaks")("title");
  const id = useId();
  const queries = useQueryClient();
  const issue = useRoom(currentIssue) ?? "";
  const { planId, gameId, status } = room;
  const to = (path: string, query: Record<string, string>) =>
    `${path}?${new URLSearchParams(query)}`;
  const about = { id: String(planId), game_id: String(gameId) };
  const entries: [IconName, string, string][] = [
    ["list", t("menuDraws"), useDrawsPath(room)()],
    ["chart", t("menuTrend"), to("/trendChart", { game_id: about.game_id, name: game, status })],
    ["book", t("menuBets"), to("/betRecord", { ...about, issue_code: issue })],
    ["hourglass", limits, to("/setting", { type: "3" })],
  ];
  return (
    <>
      <IconButton icon="plus" label={t("menu")} popoverTarget={id} data-testid="room-menu" />
      <nav id={id} popover="auto" className={styles.menu} aria-label={t("menu")}>
        {entries.map(([icon, label, path]) => (
          <Link key={path} to={path}>
            <Icon name={icon} size={20} />
            {label}
          </Link>
        ))}
        <Link to="/lotteryExplain" hidden>
          {t("menuExplain")}
        </Link>
        <button type="button" hidden onClick={() => void clearCache(queries)}>
          {t("menuClear")}
        </button>
      </nav>
    </>
  );
}
