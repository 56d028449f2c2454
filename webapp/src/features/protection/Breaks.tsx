import { useState } from "react";
import { useLocale, useTranslations } from "use-intl";
import { Button } from "../../components/Button.tsx";
import { Check, ChipRadio } from "../../components/Field.tsx";
import { Card } from "../../components/Page.tsx";
import { Sheet } from "../../components/Sheet.tsx";
import { formatDateTime } from "../../lib/formatDateTime.ts";
import styles from "./Protection.module.css";
import { useProtectionCommand } from "./useProtectionCommand.ts";

const DAY_H = 24;
/** In hours; six weeks are the longest. */
const TIME_OUT_LENGTHS = [1, DAY_H, 3 * DAY_H, 7 * DAY_H, 30 * DAY_H, 42 * DAY_H];

/** A time-out of hours to weeks, which starts after one confirmation. */
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
  const { busy, send } = useProtectionCommand("user/timeOut");
  const [hours, setHours] = useState(DAY_H);
  const begin = async () => {
    if (await send({ hours })) onDone();
  };
  const time = formatDateTime(Date.now() / 1000 + hours * 3_600, locale);
  return (
    <div className={styles.ask}>
      <ChipRadio
        label={t("length")}
        value={hours}
        onChange={setHours}
        choices={TIME_OUT_LENGTHS.map((id) => ({
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

const DAY_S = 86_400;
/** In days; 0 is permanently. */
const EXCLUSION_LENGTHS = [183, 365, 1096, 1826, 0] as const;
type Length = (typeof EXCLUSION_LENGTHS)[number];
const KEPT = ["bets", "money", "pages", "accounts"] as const;

/** Self-exclusion for half a year or more; two steps, because it cannot be revoked. */
export function Exclusion() {
  const t = useTranslations("protection.exclusion");
  const [step, setStep] = useState<0 | 1 | 2>(0);
  const [days, setDays] = useState<Length>(183);
  const close = () => setStep(0);
  return (
    <Card className={styles.card}>
      <h2>{t("title")}</h2>
      <p className={styles.text}>{t("text")}</p>
      <Button variant="danger" full onClick={() => setStep(1)}>
        {t("open")}
      </Button>
      <Sheet open={step > 0} onClose={close} title={t("title")}>
        {step === 1 && <HowLong days={days} onChoose={setDays} onNext={() => setStep(2)} />}
        {step === 2 && <Confirm days={days} onBack={() => setStep(1)} onDone={close} />}
      </Sheet>
    </Card>
  );
}

interface HowLongProps {
  days: Length;
  onChoose: (days: Length) => void;
  onNext: () => void;
}

function HowLong({ days, onChoose, onNext }: HowLongProps) {
  const t = useTranslations("protection.exclusion");
  return (
    <div className={styles.ask}>
      <p className={styles.step}>{t("step1")}</p>
      <ChipRadio
        label={t("length")}
        value={days}
        onChange={onChoose}
        choices={EXCLUSION_LENGTHS.map((id) => ({ id, label: t(`d${id}`) }))}
      />
      <Button full onClick={onNext}>
        {t("next")}
      </Button>
    </div>
  );
}

interface ConfirmProps {
  days: Length;
  onBack: () => void;
  onDone: () => void;
}

function Confirm({ days, onBack, onDone }: ConfirmProps) {
  const t = useTranslations("protection.exclusion");
  const locale = useLocale();
  const { busy, send } = useProtectionCommand("user/exclude");
  const [agreed, setAgreed] = useState(false);
  const [tried, setTried] = useState(false);
  const exclude = async () => {
    setTried(true);
    if (agreed && (await send({ days: days === 0 ? null : days }))) onDone();
  };
  const time = formatDateTime(Date.now() / 1000 + days * DAY_S, locale);
  return (
    <div className={styles.ask}>
      <p className={styles.step}>{t("step2")}</p>
      <ul className={styles.consequences}>
        <li>
          <b>{days === 0 ? t("forGood") : t("until", { time })}</b>
        </li>
        {KEPT.map((text) => (
          <li key={text}>{t(text)}</li>
        ))}
      </ul>
      <Check
        label={t("understand")}
        checked={agreed}
        aria-invalid={tried && !agreed}
        onChange={(event) => setAgreed(event.target.checked)}
      />
      <p className={styles.error} role="alert">
        {tried && !agreed && t("tick")}
      </p>
      <div className={styles.pair}>
        <Button disabled={busy} onClick={onBack}>
          {t("back")}
        </Button>
        <Button variant="danger" busy={busy} onClick={exclude}>
          {t("go")}
        </Button>
      </div>
    </div>
  );
}
