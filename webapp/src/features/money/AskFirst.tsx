import { useState } from "react";
import { useTranslations } from "use-intl";
import { Button } from "../../components/Button.tsx";
import ServiceSheet from "../../components/ServiceSheet.tsx";
import styles from "./Parts.module.css";

/** Receiving accounts change: whoever pays in asks customer service before. */
export function AskFirst() {
  const t = useTranslations("money");
  const [open, setOpen] = useState(false);
  return (
    <footer className={styles.foot}>
      <p>{t("recharge.foot")}</p>
      <Button variant="ghost" onClick={() => setOpen(true)}>
        {t("service")}
      </Button>
      <ServiceSheet open={open} onClose={() => setOpen(false)} />
    </footer>
  );
}
