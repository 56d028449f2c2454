import { Link } from "react-router";
import { useTranslations } from "use-intl";
import type { Proof } from "../../api/types.ts";
import { Balls } from "../../components/Balls.tsx";
import { Icon } from "../../components/Icon.tsx";
import { useGameName } from "../../i18n/names.ts";
import { formatTime } from "../../lib/dates.ts";
import { hasBeacon } from "./beacon.ts";
import type { Checked } from "./checkProof.ts";
import { LogCheck } from "./LogCheck.tsx";
import { type FollowedLog, useLog } from "./log/useLog.ts";
import { OwnBets } from "./OwnBets.tsx";
import styles from "./ProofBody.module.css";
import { ProofNotes } from "./ProofNotes.tsx";
import { StepItem } from "./StepItem.tsx";
import { useChecked } from "./useProof.ts";
import { type ProofRequest, wholeOf } from "./verdict.ts";

const US = 1_000_000;

/** A round, whether its proof holds, each step of that, and what it leaves open. */
export function ProofBody({ proof: newest, asked }: { proof: Proof; asked: ProofRequest }) {
  const found = useChecked(newest, asked);
  const proof = found?.proof ?? newest;
  const checked = found?.checked ?? null;
  const log = useLog(proof, asked);
  return (
    <div className={styles.proof}>
      <Head proof={proof} />
      <Verdict proof={proof} verdict={wholeVerdict(checked, log)} />
      <ProofNotes proof={proof} />
      {checked && (
        <ol className={styles.steps}>
          {checked.steps.map((step, at) => (
            <StepItem key={step.name} number={at + 1} step={step} proof={proof} />
          ))}
        </ol>
      )}
      {proof.day && <LogCheck log={log} operatorKey={proof.day.record.operator_key} />}
      {checked && checked.bets.length > 0 && (
        <OwnBets bets={checked.bets} proof={proof} log={log.checked} asked={asked} />
      )}
      <ProofLimitations proof={proof} />
    </div>
  );
}

/** null while the round or the log is being checked, unless something is wrong already. */
function wholeVerdict(checked: Checked | null, log: FollowedLog): Checked["verdict"] | null {
  if (checked === null) return null;
  const isChecking = log.checked === null && !log.isUnanswered;
  if (isChecking && checked.verdict !== "wrong") return null;
  return wholeOf([checked.verdict, log.verdict]);
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
function Verdict({ proof, verdict }: { proof: Proof; verdict: Checked["verdict"] | null }) {
  const t = useTranslations("fairness");
  const words = () => {
    if (verdict === null) return t("checking");
    if (verdict === "right" && proof.state === "voided") return t("verdict.voided");
    return t(`verdict.${verdict}`);
  };
  return (
    <p
      className={styles.verdict}
      data-verdict={verdict ?? undefined}
      role="status"
      data-testid="verdict"
    >
      {verdict && <Icon name={verdict === "wrong" ? "alert" : "shield"} />}
      <span>{words()}</span>
    </p>
  );
}

const ALWAYS = ["before", "others", "edge"] as const;

/** What leaves room to know or choose a draw: with a beacon, bets that were sealed after it. */
function known(proof: Proof): ("self" | "beacon")[] {
  if (hasBeacon(proof)) return ["beacon"];
  return proof.self_witnessed ? ["self"] : [];
}

/** What a successful check does not prove. */
function ProofLimitations({ proof }: { proof: Proof }) {
  const t = useTranslations("fairness.limits");
  const checks = useTranslations("checks");
  const limits = [...known(proof), ...ALWAYS];
  return (
    <section className={styles.limits}>
      <h3>{t("title")}</h3>
      <ul>
        {limits.map((limit) => (
          <li key={limit}>{t(limit)}</li>
        ))}
      </ul>
      <Link to="/fairness" className={styles.link}>
        {checks("about")}
      </Link>
    </section>
  );
}
