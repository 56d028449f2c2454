import { useState } from "react";
import { useLocale, useTranslations } from "use-intl";
import type { Schemas } from "../../api/types.ts";
import { Amount } from "../../components/Amount.tsx";
import { Button } from "../../components/Button.tsx";
import { Card } from "../../components/Page.tsx";
import { Sheet } from "../../components/Sheet.tsx";
import { formatDateTime } from "../../lib/formatDateTime.ts";
import { LEVELS, type Level, levelAfter, levelOf } from "../../lib/levels.ts";
import { formatMoney } from "../../lib/money.ts";
import { updateBalance } from "../../lib/session.ts";
import bar from "./ProgressPart.module.css";
import styles from "./Protection.module.css";
import { useProtectionCommand } from "./useProtectionCommand.ts";

type Progress = Schemas["TurnoverProgress"];

/** Level, quota, what is due before a withdrawal, and the bonus. */
export function ProgressPart({ progress }: { progress: Progress }) {
  return (
    <>
      <LevelProgress progress={progress} />
      <Due due={progress.due} />
      <Bonus progress={progress} />
      <Quota progress={progress} />
    </>
  );
}

function LevelProgress({ progress }: { progress: Progress }) {
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
          <ProgressBar label={t("title")} fraction={progress.done / nextAt} />
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

/** Bonus money: how much there is, what it still waits for, and its release. */
function Bonus({ progress }: { progress: Progress }) {
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
      {from > 0 && <p>{t("from", { time: formatDateTime(from, locale) })}</p>}
      {due === 0 && from === 0 && <p>{t("ready")}</p>}
    </>
  );
}

function Release() {
  const t = useTranslations("protection.bonus");
  const { busy, send } = useProtectionCommand("user/releaseBonus");
  const release = async () => {
    const held = await send({});
    if (held) {
      updateBalance({ money: held.money, score: held.score, version: held.balance_version });
    }
  };
  return (
    <Button variant="gold" full busy={busy} onClick={release}>
      {t("release")}
    </Button>
  );
}

/** A reservation of the next level; nothing where there is neither one nor a level to reserve. */
function Quota({ progress }: { progress: Progress }) {
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
  const { busy, send } = useProtectionCommand("user/releaseQuota");
  const level = names(LEVELS[progress.quota_level] ?? LEVELS[0]);
  return (
    <>
      <p>{t("held", { level, time: formatDateTime(progress.quota_until, locale) })}</p>
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
  const { busy, send } = useProtectionCommand("user/reserveQuota");
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

interface ProgressBarProps {
  /** The label for screen readers; visually it is next to the bar. */
  label: string;
  /** 0 to 1; what lies beyond is cut off. */
  fraction: number;
  /** The bar is a warning once it is full. */
  warns?: boolean;
}

/** How much of something is used or reached, as a bar. */
export function ProgressBar({ label, fraction, warns }: ProgressBarProps) {
  const percent = Math.round(Math.min(1, Math.max(0, fraction)) * 100);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a native meter looks different in each browser.
    <div
      className={bar.meter}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      data-full={warns && percent === 100}
    >
      <i style={{ width: `${percent}%` }} />
    </div>
  );
}
