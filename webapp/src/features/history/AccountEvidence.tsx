import { useEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { call } from "../../api/client.ts";
import { Button } from "../../components/Button.tsx";
import { Sheet } from "../../components/Sheet.tsx";
import { useErrorText } from "../../components/useErrorText.ts";
import { saveFile } from "../../lib/saveFile.ts";
import { useSession } from "../../lib/session.ts";
import styles from "./AccountEvidence.module.css";
import { type AccountFile, MOST_ENTRIES, type Progress, readAccount } from "./accountFile.ts";

interface SavingState {
  progress?: Progress;
  saved?: AccountFile;
  error?: unknown;
}

/** Saves the evidence of the account; `stop` gives up, as leaving the page does. */
export function useSaveAccount() {
  const player = useSession((session) => session.userId);
  const [state, setState] = useState<SavingState>({});
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);
  const save = async () => {
    const run = new AbortController();
    running.current = run;
    const show = (next: SavingState) => {
      if (!run.signal.aborted) setState(next);
    };
    show({ progress: { done: 0, total: 0 } });
    try {
      const saved = await readAccount(
        async (asked) => (await call("fair/account", asked, { signal: run.signal })).data,
        player,
        (progress) => show({ progress }),
      );
      if (run.signal.aborted) return;
      saveFile(saved.name, saved.content, "application/json");
      show({ saved });
    } catch (error) {
      show({ error });
    }
  };
  const stop = () => {
    running.current?.abort();
    setState({});
  };
  return { ...state, save, stop };
}

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
