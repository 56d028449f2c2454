import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useLocale, useTranslations } from "use-intl";
import { call } from "../../api/client.ts";
import { Card } from "../../components/Page.tsx";
import { formatMoney } from "../../lib/money.ts";
import { useReducedMotion } from "../../lib/useReducedMotion.ts";
import styles from "./WinnerTicker.module.css";

const REFRESH_MS = 10_000;
const STEP_PX = 0.2;
const WAIT_MS = 1_000;
const VISIBLE_ROWS = 3;

/** Moves the list up by 0.2 px a frame, pausing a second at each row and under a finger. */
function useTicker(rows: number, moves: boolean) {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    const element = list.current;
    if (!element || !moves) return;
    let frame = 0;
    let offset = 0;
    let waitUntil = performance.now() + WAIT_MS;
    const step = (now: number) => {
      frame = requestAnimationFrame(step);
      if (now < waitUntil || element.matches(":hover")) return;
      const row = element.clientHeight / VISIBLE_ROWS;
      const before = Math.floor(offset / row);
      offset = (offset + STEP_PX) % (row * rows);
      if (Math.floor(offset / row) !== before) waitUntil = now + WAIT_MS;
      element.scrollTop = offset;
    };
    frame = requestAnimationFrame(step);
    return () => cancelAnimationFrame(frame);
  }, [rows, moves]);
  return list;
}

/** Recent winners from the heartbeat: real wins of players, never of the house's bots. */
export function WinnerTicker() {
  const t = useTranslations("home");
  const locale = useLocale();
  const { data: wins } = useQuery({
    queryKey: ["winners"],
    queryFn: async ({ signal }) =>
      (await call("Lottery/heart", { plan_id: 1, game_id: 1 }, { signal })).data.hit_notice,
    refetchInterval: REFRESH_MS,
  });
  const reduced = useReducedMotion();
  const more = (wins?.length ?? 0) > VISIBLE_ROWS;
  const moves = more && !reduced;
  const list = useTicker(wins?.length ?? 0, moves);
  const shown = wins && moves ? [...wins, ...wins.slice(0, VISIBLE_ROWS)] : wins;
  return (
    <Card className={styles.winners}>
      <h2>{t("winners")}</h2>
      {shown?.length === 0 && <p className={styles.none}>{t("winnersNone")}</p>}
      <ul
        ref={list}
        className={styles.list}
        data-still={reduced}
        hidden={!shown?.length}
        // With reduced motion the list scrolls by hand and by keys.
        tabIndex={more && reduced ? 0 : undefined}
      >
        {shown?.map((win, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same winner may stand twice.
          <li key={at} aria-hidden={at >= (wins?.length ?? 0)}>
            <b>{win.nickname}</b>
            <span>
              {t("won", { game: win.game_name, amount: formatMoney(win.profit, locale) })}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
