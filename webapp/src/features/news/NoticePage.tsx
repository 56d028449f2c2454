import { useState } from "react";
import { useTranslations } from "use-intl";
import { useConfig } from "../../api/queries.ts";
import { EmptyState } from "../../components/EmptyState.tsx";
import { Page } from "../../components/Page.tsx";
import { Sheet } from "../../components/Sheet.tsx";
import { TopBar } from "../../components/TopBar.tsx";
import styles from "./NoticePage.module.css";

/** The operator's announcements; a press opens one over the page. */
export default function NoticePage() {
  const t = useTranslations("account");
  const announcements = useConfig()?.announcements;
  const [openId, setOpenId] = useState<number | string | null>(null);
  const open = announcements?.find((announcement) => announcement.id === openId);
  return (
    <Page top={<TopBar title={t("noticeTitle")} />}>
      {announcements?.length === 0 && <EmptyState icon="bell" text={t("noticeEmpty")} />}
      <ul className={styles.list}>
        {announcements?.map((announcement) => (
          <li key={announcement.id}>
            <button type="button" onClick={() => setOpenId(announcement.id)}>
              <b>{announcement.title}</b>
              <span>{announcement.content}</span>
            </button>
          </li>
        ))}
      </ul>
      <Sheet open={open !== undefined} onClose={() => setOpenId(null)} title={open?.title ?? ""}>
        <p className={styles.content}>{open?.content}</p>
      </Sheet>
    </Page>
  );
}
