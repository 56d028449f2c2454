import { useState } from "react";
import { useLocale, useTranslations } from "use-intl";
import { Button } from "../../components/Button.tsx";
import { Card } from "../../components/Card.tsx";
import { Check } from "../../components/Field.tsx";
import { Sheet } from "../../components/Sheet.tsx";
import { formatMoment } from "../../lib/moment.ts";
import { Choices } from "./Choices.tsx";
import styles from "./Protection.module.css";
import { useCommand } from "./useCommand.ts";

const DAY_S = 86_400;
/** In days; 0 is for good. */
const LENGTHS = [183, 365, 1096, 1826, 0] as const;
type Length = (typeof LENGTHS)[number];
const KEPT = ["bets", "money", "pages", "accounts"] as const;

/** Out for half a year or more, asked in two steps because nobody can take it back. */
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
      <Choices
        label={t("length")}
        value={days}
        onChange={onChoose}
        choices={LENGTHS.map((id) => ({ id, label: t(`d${id}`) }))}
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
  const { busy, send } = useCommand("user/exclude");
  const [agreed, setAgreed] = useState(false);
  const [tried, setTried] = useState(false);
  const exclude = async () => {
    setTried(true);
    if (agreed && (await send({ days: days === 0 ? null : days }))) onDone();
  };
  const time = formatMoment(Date.now() / 1000 + days * DAY_S, locale);
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
