import { useTranslations } from "use-intl";
import { useConfig } from "../api/queries.ts";
import { Icon } from "../components/Icon.tsx";
import { Sheet } from "../components/Sheet.tsx";
import styles from "./ServiceSheet.module.css";

/** A link that leaves the app: only the web's own schemes, whatever the configuration holds. */
function isLink(address: string): boolean {
  return /^(https?|wss?):\/\//.test(address);
}

export function ServiceSheet({ open, onClose }: { open: boolean; onClose: () => void }) {
  const t = useTranslations("home");
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
