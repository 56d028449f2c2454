import { useTranslations } from "use-intl";
import { useProfile } from "../../api/queries.ts";
import { Amount } from "../../components/Amount.tsx";
import { Card } from "../../components/Card.tsx";
import styles from "./Protection.module.css";
import { useTimeHere } from "./time.ts";

/** How long this visit has been, and what the day has brought. */
export function Today() {
  const t = useTranslations("protection.today");
  const time = useTimeHere();
  const { data } = useProfile();
  return (
    <Card>
      <h2>{t("title")}</h2>
      <dl className={styles.today}>
        <div>
          <dt>{t("time")}</dt>
          <dd data-testid="time-here">{time}</dd>
        </div>
        <div>
          <dt>{t("net")}</dt>
          <dd>
            <Amount value={data?.today_profit} signed />
          </dd>
        </div>
      </dl>
      <p className={styles.note}>{t("note")}</p>
    </Card>
  );
}
