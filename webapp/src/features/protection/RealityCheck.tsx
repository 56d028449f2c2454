import { useEffect, useState } from "react";
import { useNavigate } from "react-router";
import { useTranslations } from "use-intl";
import { useProfile } from "../../api/commonQueries.ts";
import { Amount } from "../../components/Amount.tsx";
import { Button } from "../../components/Button.tsx";
import { Sheet } from "../../components/Sheet.tsx";
import { useRemindersSuppressed } from "../../lib/suppressReminders.ts";
import { isDue, recordReminder, useVisit } from "../../lib/visitTimer.ts";
import styles from "./Protection.module.css";
import { useVisitLength } from "./useVisitLength.ts";

/**
 * Whether the reminder is to be shown: from when it is due and no draw is on, until it is closed.
 */
function useReminder(minutes: number): [boolean, () => void] {
  const quiet = useRemindersSuppressed((state) => state.quiet);
  const due = useVisit(({ visit }) => visit !== null && isDue(visit, minutes));
  const [open, setOpen] = useState(false);
  if (due && !quiet && !open) setOpen(true);
  const close = () => {
    recordReminder(Date.now());
    setOpen(false);
  };
  return [open, close];
}

/** The reminder dialog, over any page: the length of the visit and the day's result. */
export default function RealityCheck({ minutes }: { minutes: number }) {
  const t = useTranslations("protection.reality");
  const [open, close] = useReminder(minutes);
  return (
    <Sheet side="center" open={open} onClose={close} title={t("dialog")}>
      <Reminder onClose={close} />
    </Sheet>
  );
}

function Reminder({ onClose }: { onClose: () => void }) {
  const t = useTranslations("protection.reality");
  const navigate = useNavigate();
  const time = useVisitLength();
  const { data, refetch } = useProfile();
  useEffect(() => {
    void refetch();
  }, [refetch]);
  const leave = (path: string) => {
    onClose();
    navigate(path);
  };
  return (
    <div className={styles.ask}>
      <p>{t("here", { time })}</p>
      <p className={styles.between}>
        <span>{t("net")}</span>
        <Amount value={data?.today_profit} signed className={styles.figure} />
      </p>
      <p className={styles.note}>{t("note")}</p>
      <Button variant="gold" full onClick={onClose}>
        {t("goOn")}
      </Button>
      <Button full onClick={() => leave("/betRecord")}>
        {t("history")}
      </Button>
      <Button full onClick={() => leave("/setting?type=3#time-out")}>
        {t("rest")}
      </Button>
    </div>
  );
}
