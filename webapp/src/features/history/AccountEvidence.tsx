import { useState } from "react";
import { useTranslations } from "use-intl";
import { Button } from "../../components/Button.tsx";
import { Sheet } from "../../components/Sheet.tsx";
import { useErrorText } from "../../components/useErrorText.ts";
import styles from "./AccountEvidence.module.css";
import { MOST_ENTRIES } from "./accountFile.ts";
import { useSaveAccount } from "./useSaveAccount.ts";

/** Saves one file, by which anyone can verify the account's entries without the house. */
export function AccountEvidence() {
  const t = useTranslations("history.evidence");
  const history = useTranslations("history");
  const failure = useErrorText();
  const [open, setOpen] = useState(false);
  const { progress, saved, error, save, stop } = useSaveAccount();
  const close = () => {
    setOpen(false);
    stop();
  };
  return (
    <>
      <button type="button" className={styles.open} onClick={() => setOpen(true)}>
        {t("title")}
      </button>
      <Sheet
        open={open}
        onClose={close}
        title={t("title")}
        actions={
          <Button busy={progress !== undefined} onClick={save}>
            {t("save")}
          </Button>
        }
      >
        <div className={styles.text}>
          <p>{t("shows")}</p>
          <p>{t("limits", { most: MOST_ENTRIES })}</p>
          <p role="status">
            {progress && t("progress", { ...progress })}
            {saved && history("exported", { count: saved.entries, name: saved.name })}
          </p>
          {error !== undefined && (
            <p role="alert" className={styles.error}>
              {failure(error)}
            </p>
          )}
        </div>
      </Sheet>
    </>
  );
}
