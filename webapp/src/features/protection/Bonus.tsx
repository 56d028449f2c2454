import { useLocale, useTranslations } from "use-intl";
import type { Progress } from "../../api/types.ts";
import { Amount } from "../../components/Amount.tsx";
import { Button } from "../../components/Button.tsx";
import { Card } from "../../components/Card.tsx";
import { formatMoment } from "../../lib/moment.ts";
import { formatMoney } from "../../lib/money.ts";
import { readBalance } from "../../lib/session.ts";
import styles from "./Protection.module.css";
import { useCommand } from "./useCommand.ts";

/** Bonus money: how much there is, what it still waits for, and its release. */
export function Bonus({ progress }: { progress: Progress }) {
  const t = useTranslations("protection.bonus");
  const { bonus, bonus_due, bonus_from } = progress;
  return (
    <Card className={styles.card}>
      <h2>{t("title")}</h2>
      <Amount value={bonus} className={styles.figure} />
      <p className={styles.text}>{t("text")}</p>
      {bonus > 0 ? <Waits due={bonus_due} from={bonus_from} /> : <p>{t("none")}</p>}
      {bonus > 0 && bonus_due === 0 && bonus_from === 0 && <Release />}
    </Card>
  );
}

function Waits({ due, from }: { due: number; from: number }) {
  const t = useTranslations("protection.bonus");
  const locale = useLocale();
  return (
    <>
      {due > 0 && <p>{t("due", { amount: formatMoney(due, locale) })}</p>}
      {from > 0 && <p>{t("from", { time: formatMoment(from, locale) })}</p>}
      {due === 0 && from === 0 && <p>{t("ready")}</p>}
    </>
  );
}

function Release() {
  const t = useTranslations("protection.bonus");
  const { busy, send } = useCommand("user/releaseBonus");
  const release = async () => {
    const held = await send({});
    if (held) {
      readBalance({ money: held.money, score: held.score, version: held.balance_version });
    }
  };
  return (
    <Button variant="gold" full busy={busy} onClick={release}>
      {t("release")}
    </Button>
  );
}
