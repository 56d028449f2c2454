import { useState } from "react";
import { useLocale, useTranslations } from "use-intl";
import { Button } from "../../components/Button.tsx";
import { Card } from "../../components/Card.tsx";
import { Sheet } from "../../components/Sheet.tsx";
import { formatMoment } from "../../lib/moment.ts";
import { Choices } from "./Choices.tsx";
import styles from "./Protection.module.css";
import { useCommand } from "./useCommand.ts";

const DAY_H = 24;
/** In hours; six weeks are the longest. */
const LENGTHS = [1, DAY_H, 3 * DAY_H, 7 * DAY_H, 30 * DAY_H, 42 * DAY_H];

/** A rest of hours to weeks: one question, and it begins. */
export function TimeOut() {
  const t = useTranslations("protection.timeOut");
  const [open, setOpen] = useState(false);
  return (
    <Card className={styles.card} id="time-out">
      <h2>{t("title")}</h2>
      <p className={styles.text}>{t("text")}</p>
      <Button full onClick={() => setOpen(true)}>
        {t("open")}
      </Button>
      <Sheet open={open} onClose={() => setOpen(false)} title={t("title")}>
        <Ask onDone={() => setOpen(false)} />
      </Sheet>
    </Card>
  );
}

function Ask({ onDone }: { onDone: () => void }) {
  const t = useTranslations("protection.timeOut");
  const locale = useLocale();
  const { busy, send } = useCommand("user/timeOut");
  const [hours, setHours] = useState(DAY_H);
  const begin = async () => {
    if (await send({ hours })) onDone();
  };
  const time = formatMoment(Date.now() / 1000 + hours * 3_600, locale);
  return (
    <div className={styles.ask}>
      <Choices
        label={t("length")}
        value={hours}
        onChange={setHours}
        choices={LENGTHS.map((id) => ({
          id,
          label: id < DAY_H ? t("inHours", { hours: id }) : t("inDays", { days: id / DAY_H }),
        }))}
      />
      <p role="status">{t("ask", { time })}</p>
      <Button variant="gold" full busy={busy} onClick={begin}>
        {t("go")}
      </Button>
    </div>
  );
}
