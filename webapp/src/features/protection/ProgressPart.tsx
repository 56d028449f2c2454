import { useLocale, useTranslations } from "use-intl";
import type { Progress } from "../../api/types.ts";
import { Card } from "../../components/Card.tsx";
import { Meter } from "../../components/Meter.tsx";
import { levelAfter, levelOf } from "../../lib/levels.ts";
import { formatMoney } from "../../lib/money.ts";
import { Bonus } from "./Bonus.tsx";
import styles from "./Protection.module.css";
import { Quota } from "./Quota.tsx";

/** Level, quota, what is due before a withdrawal, and the bonus. */
export function ProgressPart({ progress }: { progress: Progress }) {
  return (
    <>
      <Level progress={progress} />
      <Due due={progress.due} />
      <Bonus progress={progress} />
      <Quota progress={progress} />
    </>
  );
}

function Level({ progress }: { progress: Progress }) {
  const t = useTranslations("protection.level");
  const names = useTranslations("protection.levels");
  const locale = useLocale();
  const level = levelOf(progress.level);
  const next = levelAfter(level);
  const done = formatMoney(progress.done, locale);
  const nextAt = progress.next_level_at;
  return (
    <Card className={styles.card}>
      <h2>{t("title")}</h2>
      <p className={styles.figure}>{names(level)}</p>
      {nextAt === null || next === null ? (
        <p className={styles.between}>{t("highest", { done })}</p>
      ) : (
        <>
          <Meter label={t("title")} fraction={progress.done / nextAt} />
          <p className={styles.between}>
            <span>{t("turnover", { done, next: formatMoney(nextAt, locale) })}</span>
            <span>
              {t("missing", {
                amount: formatMoney(Math.max(0, nextAt - progress.done), locale),
                level: names(next),
              })}
            </span>
          </p>
        </>
      )}
      <p className={styles.note}>{t("note")}</p>
    </Card>
  );
}

function Due({ due }: { due: number }) {
  const t = useTranslations("protection.due");
  const locale = useLocale();
  return (
    <Card className={styles.card}>
      <h2>{t("title")}</h2>
      <p>{due > 0 ? t("some", { amount: formatMoney(due, locale) }) : t("none")}</p>
    </Card>
  );
}
