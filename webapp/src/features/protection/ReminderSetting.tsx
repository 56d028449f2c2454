import { useState } from "react";
import { useTranslations } from "use-intl";
import { ChipRadio } from "../../components/Field.tsx";
import { Card } from "../../components/Page.tsx";
import styles from "./Protection.module.css";
import { useProtectionCommand } from "./useProtectionCommand.ts";

const OFFERED = [0, 15, 30, 60, 120];

/** The interval of reminders; a change takes effect immediately. */
export function ReminderSetting({ minutes }: { minutes: number }) {
  const t = useTranslations("protection.reality");
  const length = useTranslations("protection");
  const { busy, send } = useProtectionCommand("user/realityCheck");
  const [wanted, setWanted] = useState<number | null>(null);
  // Another client may have set any other.
  const choices = OFFERED.includes(minutes) ? OFFERED : [...OFFERED, minutes];
  const choose = async (chosen: number) => {
    if (busy) return;
    setWanted(chosen);
    if ((await send({ minutes: chosen })) === null) setWanted(null);
  };
  return (
    <Card className={styles.card}>
      <h2>{t("title")}</h2>
      <p className={styles.text}>{t("text")}</p>
      <ChipRadio
        label={t("every")}
        value={wanted ?? minutes}
        onChange={choose}
        choices={choices.map((id) => ({
          id,
          label: id === 0 ? t("off") : length("minutes", { minutes: id }),
        }))}
      />
    </Card>
  );
}
