import { type FormEvent, useEffect, useRef, useState } from "react";
import { useLocale, useTranslations } from "use-intl";
import { useConfig } from "../../api/commonQueries.ts";
import type { Limit } from "../../api/types.ts";
import { PlayMoney } from "../../components/Amount.tsx";
import { Button } from "../../components/Button.tsx";
import { Field } from "../../components/Field.tsx";
import { Card } from "../../components/Page.tsx";
import { Sheet } from "../../components/Sheet.tsx";
import { formatDateTime } from "../../lib/formatDateTime.ts";
import { formatMoney } from "../../lib/money.ts";
import styles from "./Limits.module.css";
import {
  fullness,
  holdsAtOnce,
  type KnownLimit,
  limitsOf,
  parseLimit,
  type Subject,
  usedOf,
} from "./limitChange.ts";
import { ProgressBar } from "./ProgressPart.tsx";
import { useProtectionCommand } from "./useProtectionCommand.ts";

const TEXTS = { deposit: "depositText", loss: "lossText" } as const;

interface LimitsProps {
  subject: Subject;
  limits: readonly Limit[];
}

/** The three limits of one subject: the current limit, its use, and a pending change. */
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
      <ProgressBar label={name} fraction={fullness(limit)} warns />
      <span>{t("usedOf", { used, amount: formatMoney(limit.amount, locale) })}</span>
      <span>{left === 0 ? t("reached") : t("left", { left: formatMoney(left, locale) })}</span>
    </div>
  );
}

/** A limit that was raised or removed, which is not effective yet. */
function Pending({ limit }: { limit: KnownLimit }) {
  const t = useTranslations("protection.limits");
  const locale = useLocale();
  if (limit.next_from === 0) return null;
  const time = formatDateTime(limit.next_from, locale);
  return (
    <p className={styles.pending}>
      {limit.next_amount === null
        ? t("nextNone", { time })
        : t("next", { time, amount: formatMoney(limit.next_amount, locale) })}
    </p>
  );
}

interface LimitSheetProps {
  /** The limit that is being changed; null while none is. */
  limit: KnownLimit | null;
  onClose: () => void;
}

function LimitSheet({ limit, onClose }: LimitSheetProps) {
  const t = useTranslations("protection.limits.names");
  const title = limit === null ? "" : t(`${limit.subject}_${limit.span}`);
  return (
    <Sheet open={limit !== null} onClose={onClose} title={title}>
      {limit && <Form limit={limit} onDone={onClose} />}
    </Sheet>
  );
}

function Form({ limit, onDone }: { limit: KnownLimit; onDone: () => void }) {
  const t = useTranslations("protection.limits");
  const demo = useConfig()?.demo;
  const { busy, send } = useProtectionCommand("user/setLimit");
  const [typed, setTyped] = useState(limit.amount === null ? "" : String(limit.amount));
  const [tried, setTried] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  // The dialog, which opens after this, begins here rather than at its close button.
  useEffect(() => field.current?.setAttribute("autofocus", ""), []);
  const amount = parseLimit(typed);
  const save = async (next: number | null) => {
    const { subject, span } = limit;
    if (await send({ subject, span, amount: next })) onDone();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (amount === null) field.current?.focus();
    else void save(amount);
  };
  const effect = holdsAtOnce(limit.amount, amount) ? t("atOnce") : t("inADay");
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <div>
        <PlayMoney show={demo} />
      </div>
      <Field
        ref={field}
        label={t("amount")}
        hint={t("amountHint")}
        error={tried && amount === null ? t("badAmount") : undefined}
        name="limit"
        inputMode="decimal"
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <p className={styles.effect} role="status">
        {amount !== null && effect}
      </p>
      <Button type="submit" variant="gold" full busy={busy}>
        {t("save")}
      </Button>
      {limit.amount !== null && (
        <Button full disabled={busy} onClick={() => save(null)}>
          {t("remove")}
        </Button>
      )}
    </form>
  );
}
