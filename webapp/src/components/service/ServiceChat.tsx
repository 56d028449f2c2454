import { useEffect } from "react";
import { useTranslations } from "use-intl";
import { Button } from "../Button.tsx";
import { Composer } from "./Composer.tsx";
import { Lines } from "./Lines.tsx";
import styles from "./ServiceChat.module.css";
import { retry, unwatch, useService, watch } from "./store.ts";

/** The live chat with customer service at an address; it is connected once it is shown. */
export default function ServiceChat({ address }: { address: string }) {
  const t = useTranslations("service");
  useEffect(() => {
    watch(address);
    return unwatch;
  }, [address]);
  return (
    <div className={styles.chat}>
      <LinkLine />
      <Lines />
      <Composer />
      <p className={styles.note}>{t("gets")}</p>
    </div>
  );
}

function LinkLine() {
  const t = useTranslations("service");
  const link = useService((service) => service.link);
  return (
    <div className={styles.link} data-link={link}>
      <p role="status">{t(link)}</p>
      {link === "reconnecting" && <Button onClick={retry}>{t("tryNow")}</Button>}
    </div>
  );
}
