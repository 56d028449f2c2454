import { useTranslations } from "use-intl";
import styles from "./ProofBody.module.css";

const ALWAYS = ["before", "others", "edge"] as const;

/** What nobody should conclude from a row of ticks. */
export function Limits({ selfWitnessed }: { selfWitnessed: boolean }) {
  const t = useTranslations("fairness.limits");
  const limits = selfWitnessed ? (["self", ...ALWAYS] as const) : ALWAYS;
  return (
    <section className={styles.limits}>
      <h3>{t("title")}</h3>
      <ul>
        {limits.map((limit) => (
          <li key={limit}>{t(limit)}</li>
        ))}
      </ul>
    </section>
  );
}
