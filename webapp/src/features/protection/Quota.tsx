import { useState } from "react";
import { useLocale, useTranslations } from "use-intl";
import type { Progress } from "../../api/types.ts";
import { Button } from "../../components/Button.tsx";
import { Card } from "../../components/Card.tsx";
import { Sheet } from "../../components/Sheet.tsx";
import { LEVELS, type Level, levelAfter, levelOf } from "../../lib/levels.ts";
import { formatMoment } from "../../lib/moment.ts";
import styles from "./Protection.module.css";
import { useCommand } from "./useCommand.ts";

/** A reservation of the next level; nothing where there is neither one nor a level to reserve. */
export function Quota({ progress }: { progress: Progress }) {
  const t = useTranslations("protection.quota");
  const next = levelAfter(levelOf(progress.level));
  const held = progress.quota_level > 0;
  if (!held && next === null) return null;
  return (
    <Card className={styles.card}>
      <h2>{t("title")}</h2>
      {held ? <Held progress={progress} /> : next && <Offer level={next} />}
    </Card>
  );
}

function Held({ progress }: { progress: Progress }) {
  const t = useTranslations("protection.quota");
  const names = useTranslations("protection.levels");
  const locale = useLocale();
  const { busy, send } = useCommand("user/releaseQuota");
  const level = names(LEVELS[progress.quota_level] ?? LEVELS[0]);
  return (
    <>
      <p>{t("held", { level, time: formatMoment(progress.quota_until, locale) })}</p>
      <Button full busy={busy} onClick={() => send({})}>
        {t("release")}
      </Button>
    </>
  );
}

/** Asked once more, because it closes withdrawals. */
function Offer({ level }: { level: Level }) {
  const t = useTranslations("protection.quota");
  const name = useTranslations("protection.levels")(level);
  const { busy, send } = useCommand("user/reserveQuota");
  const [asking, setAsking] = useState(false);
  const reserve = async () => {
    if (await send({})) setAsking(false);
  };
  return (
    <>
      <p className={styles.text}>{t("text", { level: name })}</p>
      <Button full onClick={() => setAsking(true)}>
        {t("reserve")}
      </Button>
      <Sheet
        side="center"
        open={asking}
        onClose={() => setAsking(false)}
        title={t("askTitle", { level: name })}
      >
        <div className={styles.ask}>
          <p>{t("ask")}</p>
          <Button variant="gold" full busy={busy} onClick={reserve}>
            {t("go")}
          </Button>
        </div>
      </Sheet>
    </>
  );
}
