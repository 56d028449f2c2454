import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { Link } from "react-router";
import { useTranslations } from "use-intl";
import { Icon, type IconName } from "../../components/Icon.tsx";
import { clearCache } from "../../lib/cache.ts";
import styles from "./RoomMenu.module.css";
import type { RoomAddress } from "./roomAddress.ts";
import { useDrawsPath } from "./roomAddress.ts";
import { currentIssue, useRoom } from "./roomStore.ts";

interface RoomMenuProps {
  /** Of the button that opens it. */
  id: string;
  room: RoomAddress;
  game: string;
  /** The button was pressed before this component was loaded, so the press opened nothing. */
  asked: boolean;
}

/** Links to the pages about this game. */
export default function RoomMenu({ id, room, game, asked }: RoomMenuProps) {
  const t = useTranslations("room");
  const limits = useTranslations("breaks")("title");
  const queries = useQueryClient();
  const issue = useRoom(currentIssue) ?? "";
  const { planId, gameId, status } = room;
  const menu = useRef<HTMLElement>(null);
  const askedBefore = useRef(asked);
  useEffect(() => {
    if (!askedBefore.current) return;
    // The press may still be in progress, and would toggle the popover after this.
    const timer = setTimeout(() => menu.current?.togglePopover(true));
    return () => clearTimeout(timer);
  }, []);
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
    <nav ref={menu} id={id} popover="auto" className={styles.menu} aria-label={t("menu")}>
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
  );
}
