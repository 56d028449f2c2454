import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import type { Proof } from "../../api/types.ts";
import { useSentenceGap } from "../../i18n/sentences.ts";
import { formatTime } from "../../lib/dates.ts";
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

/** The texts for why a segment was begun. */
const FOLLOW_TEXTS = {
  witness_behind: "witness_behind",
  witness_unknowing: "witness_lost",
  day_unknown: "witness_lost",
  round_unknown: "witness_lost",
  witness_ahead: "house_behind",
  index_passed: "house_behind",
  restored: "house_restored",
  chain_lost: "chain_lost",
  round_frozen_otherwise: "contradiction",
  witness_contradicts: "witness_contradicts",
  witness_changed: "witness_changed",
  operator_changed: "operator_changed",
  schedule_changed: "schedule_changed",
  odds_changed: "odds_changed",
  beacon_changed: "beacon_changed",
  late_start: "late_start",
} as const;

type FollowText = (typeof FOLLOW_TEXTS)[keyof typeof FOLLOW_TEXTS] | "declined";

/** A reason as the server names it, and the name of the text for it. */
interface FollowReason {
  text: FollowText;
  reason: string;
}

/**
 * The texts for the reasons of a segment. Another witness does not know the segment before: that
 * it has no records is no news then, and it has lost none.
 */
export function followReasons(reasons: readonly string[]): FollowReason[] {
  const found = reasons.map((reason) => ({ text: textOf(reason), reason }));
  const isAnother = reasons.includes("witness_changed");
  return isAnother ? found.filter(({ text }) => text !== "witness_lost") : found;
}

function textOf(reason: string): FollowText {
  return isKnown(reason) ? FOLLOW_TEXTS[reason] : "declined";
}

function isKnown(reason: string): reason is keyof typeof FOLLOW_TEXTS {
  return Object.hasOwn(FOLLOW_TEXTS, reason);
}
