import { useTranslations } from "use-intl";
import type { Proof } from "../../api/types.ts";
import { Balls } from "../../components/Balls.tsx";
import { Icon } from "../../components/Icon.tsx";
import { useGameName } from "../../i18n/names.ts";
import { useSentenceGap } from "../../i18n/sentences.ts";
import { formatTime } from "../../lib/dates.ts";
import type { Checked } from "./checkProof.ts";
import { OwnBets } from "./OwnBets.tsx";
import styles from "./ProofBody.module.css";
import { StepItem } from "./StepItem.tsx";
import { useChecked } from "./useProof.ts";
import type { ProofRequest } from "./verdict.ts";

const US = 1_000_000;

/** A round, whether its proof holds, each step of that, and what it leaves open. */
export function ProofBody({ proof: newest, asked }: { proof: Proof; asked: ProofRequest }) {
  const t = useTranslations("fairness");
  const gap = useSentenceGap();
  const found = useChecked(newest, asked);
  const proof = found?.proof ?? newest;
  const checked = found?.checked ?? null;
  return (
    <div className={styles.proof}>
      <Head proof={proof} />
      <Verdict proof={proof} checked={checked} />
      {proof.voided && (
        <p className={styles.note}>{t("voided", { reason: proof.voided.reason })}</p>
      )}
      {proof.voided && proof.voided.status !== "attested" && (
        <p className={styles.note} data-testid="void-status">
          <b>{t(`voidStatus.${proof.voided.status}.title`)}</b>
          {gap}
          {t(`voidStatus.${proof.voided.status}.text`)}
        </p>
      )}
      {proof.self_witnessed && (
        <p className={styles.note}>
          <b>{t("selfWitnessed")}</b>
          {gap}
          {t("selfWitnessedText")}
        </p>
      )}
      {checked && (
        <ol className={styles.steps}>
          {checked.steps.map((step, at) => (
            <StepItem key={step.name} number={at + 1} step={step} proof={proof} />
          ))}
        </ol>
      )}
      {checked && checked.bets.length > 0 && <OwnBets bets={checked.bets} proof={proof} />}
      <ProofLimitations selfWitnessed={proof.self_witnessed} />
    </div>
  );
}

function Head({ proof }: { proof: Proof }) {
  const t = useTranslations("fairness");
  const game = useGameName()(proof.game_id, "");
  const { drawn } = proof;
  return (
    <div className={styles.head}>
      <p>
        <b>{t("round", { game, issue: proof.issue })}</b>
        <small>
          {drawn
            ? t("drawnAt", { time: formatTime(drawn.at / US) })
            : t("drawDue", { time: formatTime(proof.draws_at / US) })}
        </small>
      </p>
      {drawn && <Balls drawn={{ digits: drawn.digits, sum: drawn.sum }} size="large" />}
    </div>
  );
}

/** The overall verdict, announced once it is known. */
function Verdict({ proof, checked }: { proof: Proof; checked: Checked | null }) {
  const t = useTranslations("fairness");
  const verdict = checked?.verdict;
  const words = () => {
    if (verdict === undefined) return t("checking");
    if (verdict === "right" && proof.state === "voided") return t("verdict.voided");
    return t(`verdict.${verdict}`);
  };
  return (
    <p className={styles.verdict} data-verdict={verdict} role="status" data-testid="verdict">
      {verdict && <Icon name={verdict === "wrong" ? "alert" : "shield"} />}
      <span>{words()}</span>
    </p>
  );
}

const ALWAYS = ["before", "others", "edge"] as const;

/** What a successful check does not prove. */
function ProofLimitations({ selfWitnessed }: { selfWitnessed: boolean }) {
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
