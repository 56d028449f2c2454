import { type TouchEvent, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import type { AppConfig } from "../../api/types.ts";
import { Icon } from "../../components/Icon.tsx";
import { Sheet } from "../../components/Sheet.tsx";
import { useAutoplay, useInteracting } from "./Carousel.tsx";
import styles from "./NoticeBar.module.css";

const AUTOPLAY_MS = 3_000;
const SWIPE_PX = 16;

type Announcements = AppConfig["announcements"];

/**
 * One headline at a time, moving up every three seconds; a press opens it over the page. Until the
 * announcements are known its place is kept, so that nothing below is pushed away.
 */
export function NoticeBar({ announcements }: { announcements: Announcements | undefined }) {
  const t = useTranslations("home");
  const [openId, setOpenId] = useState<number | string | null>(null);
  const open = announcements?.find((announcement) => announcement.id === openId);
  if (announcements === undefined) return <div className={styles.bar} />;
  if (announcements.length === 0) return null;
  return (
    <section className={styles.bar} aria-label={t("announcements")}>
      <Icon name="speaker" size={20} />
      <Headlines announcements={announcements} onOpen={setOpenId} />
      <Sheet open={open !== undefined} onClose={() => setOpenId(null)} title={open?.title ?? ""}>
        <p className={styles.content}>{open?.content}</p>
      </Sheet>
    </section>
  );
}

interface HeadlinesProps {
  announcements: Announcements;
  onOpen: (id: number | string) => void;
}

/** The headline in view; the one before it leaves as it comes, and a finger moves them as well. */
function Headlines({ announcements, onOpen }: HeadlinesProps) {
  const count = announcements.length;
  const [held, holding] = useInteracting();
  const [at, setAt] = useAutoplay(count, AUTOPLAY_MS, held);
  const [{ shown, left, back }, setMoved] = useState({ shown: at, left: -1, back: false });
  if (shown !== at) setMoved({ shown: at, left: shown, back: false });
  const from = useRef<number | null>(null);
  const begin = (touch: TouchEvent) => {
    from.current = touch.touches[0]?.clientY ?? null;
    holding.onTouchStart();
  };
  const end = (touch: TouchEvent) => {
    const moved = (touch.changedTouches[0]?.clientY ?? 0) - (from.current ?? 0);
    holding.onTouchEnd();
    if (from.current === null || Math.abs(moved) < SWIPE_PX || count < 2) return;
    const back = moved > 0;
    const next = (at + (back ? count - 1 : 1)) % count;
    setMoved({ shown: next, left: at, back });
    setAt(next);
  };
  const stateOf = (index: number) => (index === at ? "in" : index === left ? "out" : "away");
  return (
    <ul
      className={styles.window}
      data-back={back}
      {...holding}
      onTouchStart={begin}
      onTouchEnd={end}
    >
      {announcements.map((announcement, index) => (
        <li
          key={announcement.id}
          inert={index !== at}
          data-state={stateOf(index)}
          data-moves={left >= 0}
        >
          <button type="button" onClick={() => onOpen(announcement.id)}>
            {announcement.title}
          </button>
        </li>
      ))}
    </ul>
  );
}
