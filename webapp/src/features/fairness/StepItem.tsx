import { useTranslations } from "use-intl";
import type { Proof } from "../../api/types.ts";
import { CopyButton } from "../../components/CopyButton.tsx";
import { Icon } from "../../components/Icon.tsx";
import styles from "./StepItem.module.css";
import { type Step, type Value, wasReleased } from "./verdict.ts";

interface StepProps {
  number: number;
  step: Step;
  proof: Proof;
}

/** One check in plain words, with the values behind it. */
export function StepItem({ number, step, proof }: StepProps) {
  const t = useTranslations("fairness");
  const { name, verdict } = step;
  return (
    <li className={styles.step} data-verdict={verdict} data-testid={`step-${name}`}>
      <Mark verdict={verdict} number={number} />
      <div>
        <h3>{t(`steps.${name}.title`)}</h3>
        <p className={verdict === "wrong" ? styles.wrong : undefined}>
          <span className="visually-hidden">{t(`marks.${verdict}`)} </span>
          <Text step={step} proof={proof} />
        </p>
        <Values values={step.values} />
      </div>
    </li>
  );
}

export function Mark({ verdict, number }: { verdict: Step["verdict"]; number?: number }) {
  return (
    <span className={styles.mark} data-verdict={verdict} aria-hidden="true">
      {verdict === "later" ? (
        (number ?? "–")
      ) : (
        <Icon name={verdict === "right" ? "check" : "close"} size={18} />
      )}
    </span>
  );
}

function Text({ step, proof }: { step: Step; proof: Proof }) {
  const t = useTranslations("fairness");
  const { frozen, drawn } = proof;
  if (step.verdict === "wrong") return t("marks.wrongText");
  if (step.verdict === "later") return t(step.name === "frozen" ? "atClose" : "atDraw");
  switch (step.name) {
    case "day":
      return t("steps.day.text");
    case "frozen":
      return t("steps.frozen.text", { count: frozen?.record.count ?? 0 });
    case "operator":
      return t("steps.operator.text", { times: frozen?.record.i ?? 0 });
    case "witness":
      return t(wasReleased(proof) ? "steps.witness.text" : "steps.witness.cancelled");
    case "beacon":
      return t("steps.beacon.text", {
        network: drawn?.beacon?.network ?? "",
        round: String(drawn?.beacon?.round ?? ""),
      });
    case "digits":
      return t(drawn?.beacon ? "steps.digits.withBeacon" : "steps.digits.text");
    case "sum": {
      const [a, b, c] = drawn?.digits ?? [0, 0, 0];
      return t("steps.sum.text", { a, b, c, sum: drawn?.sum ?? 0 });
    }
  }
}

/** The values behind a step, folded away; each can be copied. */
export function Values({ values }: { values: readonly Value[] }) {
  const t = useTranslations("fairness");
  if (values.length === 0) return null;
  return (
    <details className={styles.values}>
      <summary>{t("values.show")}</summary>
      <dl>
        {values.map((value) => (
          <Row key={value[0]} value={value} />
        ))}
      </dl>
    </details>
  );
}

function Row({ value: [name, text] }: { value: Value }) {
  const t = useTranslations("fairness");
  const label = t(`values.${name}`);
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <code>{text}</code>
        <CopyButton text={text} label={t("copy", { name: label })} />
      </dd>
    </div>
  );
}
