import { useState } from "react";
import { useLocale, useTranslations } from "use-intl";
import type { Limit } from "../../api/types.ts";
import { Button } from "../../components/Button.tsx";
import { Card } from "../../components/Card.tsx";
import { Meter } from "../../components/Meter.tsx";
import { formatMoment } from "../../lib/moment.ts";
import { formatMoney } from "../../lib/money.ts";
import { LimitSheet } from "./LimitSheet.tsx";
import styles from "./Limits.module.css";
import { fullness, type KnownLimit, limitsOf, type Subject, usedOf } from "./limits.ts";

const TEXTS = { deposit: "depositText", loss: "lossText" } as const;

interface LimitsProps {
  subject: Subject;
  limits: readonly Limit[];
}

/** The three limits of one subject: what holds, what is used of it, and what is to come. */
export function Limits({ subject, limits }: LimitsProps) {
  const t = useTranslations("protection.limits");
  const [changing, setChanging] = useState<KnownLimit | null>(null);
  return (
    <Card>
      <h2>{t(subject)}</h2>
      <p className={styles.text}>{t(TEXTS[subject])}</p>
      <ul className={styles.limits}>
        {limitsOf(limits, subject).map((limit) => (
          <Row key={limit.span} limit={limit} onChange={() => setChanging(limit)} />
        ))}
      </ul>
      <LimitSheet limit={changing} onClose={() => setChanging(null)} />
    </Card>
  );
}

function Row({ limit, onChange }: { limit: KnownLimit; onChange: () => void }) {
  const t = useTranslations("protection.limits");
  const locale = useLocale();
  const { amount, span, subject } = limit;
  const name = t(`names.${subject}_${span}`);
  const press = t(amount === null ? "set" : "change");
  return (
    <li className={styles.row} data-testid={`limit-${subject}-${span}`}>
      <p className={styles.name}>
        {t(span)}
        <b>{amount === null ? t("none") : `${formatMoney(amount, locale)}u`}</b>
      </p>
      <Button onClick={onChange} aria-label={`${press}: ${name}`}>
        {press}
      </Button>
      <Used limit={limit} name={name} />
      <Pending limit={limit} />
    </li>
  );
}

function Used({ limit, name }: { limit: KnownLimit; name: string }) {
  const t = useTranslations("protection.limits");
  const locale = useLocale();
  const used = formatMoney(usedOf(limit), locale);
  if (limit.amount === null) return <p className={styles.used}>{t("used", { used })}</p>;
  const left = limit.left ?? 0;
  return (
    <div className={styles.used}>
      <Meter label={name} fraction={fullness(limit)} warns />
      <span>{t("usedOf", { used, amount: formatMoney(limit.amount, locale) })}</span>
      <span>{left === 0 ? t("reached") : t("left", { left: formatMoney(left, locale) })}</span>
    </div>
  );
}

/** A limit that was raised or lifted, and does not hold yet. */
function Pending({ limit }: { limit: KnownLimit }) {
  const t = useTranslations("protection.limits");
  const locale = useLocale();
  if (limit.next_from === 0) return null;
  const time = formatMoment(limit.next_from, locale);
  return (
    <p className={styles.pending}>
      {limit.next_amount === null
        ? t("nextNone", { time })
        : t("next", { time, amount: formatMoney(limit.next_amount, locale) })}
    </p>
  );
}
