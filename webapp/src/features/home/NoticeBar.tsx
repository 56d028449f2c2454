import { useState } from "react";
import { useTranslations } from "use-intl";
import type { AppConfig } from "../../api/types.ts";
import { Icon } from "../../components/Icon.tsx";
import { Sheet } from "../../components/Sheet.tsx";
import styles from "./NoticeBar.module.css";
import { useAutoplay } from "./useAutoplay.ts";

const AUTOPLAY_MS = 3_000;

/** One headline at a time, moving up every three seconds; a press opens it over the page. */
export function NoticeBar({ announcements }: { announcements: AppConfig["announcements"] }) {
  const t = useTranslations("home");
  const [at] = useAutoplay(announcements.length, AUTOPLAY_MS);
  const [openId, setOpenId] = useState<number | string | null>(null);
  const open = announcements.find((announcement) => announcement.id === openId);
  if (announcements.length === 0) return null;
  return (
    <section className={styles.bar} aria-label={t("announcements")}>
      <Icon name="speaker" size={20} />
      <div className={styles.window}>
        <ul style={{ transform: `translateY(${-at * 100}%)` }}>
          {announcements.map((announcement, index) => (
            <li key={announcement.id} inert={index !== at}>
              <button type="button" onClick={() => setOpenId(announcement.id)}>
                {announcement.title}
              </button>
            </li>
          ))}
        </ul>
      </div>
      <Sheet open={open !== undefined} onClose={() => setOpenId(null)} title={open?.title ?? ""}>
        <p className={styles.content}>{open?.content}</p>
      </Sheet>
    </section>
  );
}
