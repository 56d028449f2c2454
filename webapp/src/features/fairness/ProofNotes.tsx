import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import type { Proof } from "../../api/types.ts";
import { useSentenceGap } from "../../i18n/sentences.ts";
import { formatTime } from "../../lib/dates.ts";
import { followReasons } from "./followReasons.ts";
import styles from "./ProofBody.module.css";

const US = 1_000_000;

/** What the check does not show: why a round waits or was voided, and why its segment began. */
export function ProofNotes({ proof }: { proof: Proof }) {
  const t = useTranslations("fairness");
  const { voided, waiting } = proof;
  return (
    <>
      {waiting && (
        <Note title={t("waiting.title")} id="waiting">
          {t(`waiting.${waiting.state}`, { time: formatTime(proof.draws_at / US) })}
        </Note>
      )}
      {voided && <p className={styles.note}>{t("voided", { reason: voided.reason })}</p>}
      {voided && voided.status !== "attested" && (
        <Note title={t(`voidStatus.${voided.status}.title`)} id="void-status">
          {t(`voidStatus.${voided.status}.text`)}
          <LateAnswer voided={voided} />
        </Note>
      )}
      {proof.self_witnessed && (
        <Note title={t("selfWitnessed")} id="self-witnessed">
          {t("selfWitnessedText")}
        </Note>
      )}
      <Follows proof={proof} />
    </>
  );
}

interface NoteProps {
  title: string;
  id: string;
  children: ReactNode;
}

function Note({ title, id, children }: NoteProps) {
  const gap = useSentenceGap();
  return (
    <p className={styles.note} data-testid={id}>
      <b>{title}</b>
      {gap}
      {children}
    </p>
  );
}

/** What the witness of an unattested round said afterwards, or that it has said nothing. */
function LateAnswer({ voided }: { voided: NonNullable<Proof["voided"]> }) {
  const t = useTranslations("fairness.lateAnswer");
  const gap = useSentenceGap();
  if (voided.status !== "unattested") return null;
  return (
    <>
      {gap}
      {t(voided.late_answer?.statement ?? "none")}
    </>
  );
}

/**
 * Why the day or segment of the round was begun, if not simply as planned. Neither party signs the
 * reasons, so they are shown as what the house says.
 */
function Follows({ proof }: { proof: Proof }) {
  const t = useTranslations("fairness.follows");
  const gap = useSentenceGap();
  const reasons = followReasons(proof.day?.follows?.reasons ?? []);
  if (reasons.length === 0) return null;
  const texts = reasons.map(({ text, reason }) => t(text, { reason }));
  return (
    <Note title={t(isSegment(proof) ? "title" : "day")} id="follows">
      {[t("said"), ...texts].join(gap)}
    </Note>
  );
}

/** Whether the round is of a later segment of its date; the first one is named as the date alone. */
function isSegment({ day }: Proof): boolean {
  return day?.record.day.includes("/") ?? false;
}
