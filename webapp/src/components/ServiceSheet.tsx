import { useTranslations } from "use-intl";
import { useConfig } from "../api/queries.ts";
import { isLink } from "../lib/links.ts";
import { Icon } from "./Icon.tsx";
import styles from "./ServiceSheet.module.css";
import { Sheet } from "./Sheet.tsx";

/** The ways to customer service, over whatever page it is asked for from. */
export default function ServiceSheet({ open, onClose }: { open: boolean; onClose: () => void }) {
  const t = useTranslations("account");
  const kefu = useConfig()?.kefu;
  const online = kefu?.online ?? "";
  const chat = (kefu?.ws ?? "").replace(/^ws/, "http");
  const links = [...new Set([online, chat])].filter(isLink);
  return (
    <Sheet open={open} onClose={onClose} title={t("service")}>
      <p className={styles.text}>{links.length > 0 ? t("serviceText") : t("serviceNone")}</p>
      {links.map((link, at) => (
        <a key={link} className={styles.link} href={link} target="_blank" rel="noreferrer">
          <Icon name="service" />
          <span>
            {at === 0 ? t("serviceOnline") : t("serviceSecond")}
            <small>{new URL(link).host}</small>
          </span>
          <Icon name="next" size={18} />
        </a>
      ))}
    </Sheet>
  );
}
