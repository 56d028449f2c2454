import { useLocale, useTranslations } from "use-intl";
import type { Proof, ProvenBet } from "../../api/types.ts";
import { Button } from "../../components/Button.tsx";
import { useBetText } from "../../i18n/names.ts";
import { useSentenceGap } from "../../i18n/sentences.ts";
import { formatMoney } from "../../lib/money.ts";
import { saveFile } from "../../lib/saveFile.ts";
import type { CheckedBet } from "./betSet.ts";
import { canonical } from "./crypto/encoding.ts";
import { betEvidence, betEvidenceName } from "./evidence.ts";
import { type CheckedLog, type LoggedBet, type LogProof, MOST_BETS } from "./log/checkLog.ts";
import styles from "./StepItem.module.css";
import { Mark, Values } from "./StepItem.tsx";
import { type ProofRequest, type Value, type Verdict, wholeOf } from "./verdict.ts";

interface OwnBetsProps {
  bets: CheckedBet[];
  proof: Proof;
  /** null until the log is checked. */
  log: CheckedLog | null;
  asked: ProofRequest;
}

/** The player's own bets: whether each is in the sealed list and in the log, and was paid. */
export function OwnBets({ bets, proof, log, asked }: OwnBetsProps) {
  const t = useTranslations("fairness");
  return (
    <section className={styles.bets}>
      <h3>{t("bets.title")}</h3>
      <ul>
        {bets.map((checked) => (
          <OwnBet
            key={checked.bet.receipt.bet}
            checked={checked}
            proof={proof}
            log={log}
            asked={asked}
          />
        ))}
      </ul>
    </section>
  );
}

/** A bet without a path is not wrong: it is simply not proved. */
function verdictOf({ mine, place, paid }: CheckedBet, logged: LoggedBet | null): Verdict {
  const known = place === "unproved" ? "later" : place;
  return wholeOf([mine, known, paid, logged?.verdict ?? "later"]);
}

interface OwnBetProps {
  checked: CheckedBet;
  proof: Proof;
  log: CheckedLog | null;
  asked: ProofRequest;
}

function OwnBet({ checked, proof, log, asked }: OwnBetProps) {
  const t = useTranslations("fairness");
  const locale = useLocale();
  const kind = useBetText();
  const gap = useSentenceGap();
  const { receipt } = checked.bet;
  const logged = log?.bets[receipt.bet] ?? null;
  const words = [...useBetWords(checked, proof), ...useLogWords(log, logged)];
  const verdict = verdictOf(checked, logged);
  const values: Value[] = [["receipt", canonical(receipt)]];
  if (logged?.proof) values.push(["entry", logged.proof.entry]);
  return (
    <li className={styles.step} data-verdict={verdict} data-testid="own-bet">
      <Mark verdict={verdict} />
      <div>
        <b>
          {t("bets.stake", {
            kind: kind(receipt.kind),
            amount: formatMoney(receipt.stake_minor / 100, locale),
          })}
        </b>
        <p className={verdict === "wrong" ? styles.wrong : undefined}>
          <span className="visually-hidden">{t(`marks.${verdict}`)} </span>
          {words.join(gap)}
        </p>
        {logged?.proof && (
          <EvidenceButton proof={proof} bet={checked.bet} logged={logged.proof} asked={asked} />
        )}
        <Values values={values} />
      </div>
    </li>
  );
}

interface EvidenceButtonProps {
  proof: Proof;
  bet: ProvenBet;
  logged: LogProof;
  asked: ProofRequest;
}

/** Saves one file, by which anyone can verify the bet without the house. */
function EvidenceButton({ proof, bet, logged, asked }: EvidenceButtonProps) {
  const t = useTranslations("fairness.bets");
  const evidence = betEvidence(proof, bet, logged, asked);
  if (evidence === null) return null;
  return (
    <Button
      className={styles.evidence}
      onClick={() => saveFile(betEvidenceName(bet), evidence, "application/json")}
    >
      {t("save")}
    </Button>
  );
}

/** A sentence about the bet's entry in the log; none until the log was checked. */
function useLogWords(log: CheckedLog | null, logged: LoggedBet | null): string[] {
  const t = useTranslations("fairness.bets");
  if (log === null) return [];
  if (logged === null) return log.verdict === "wrong" ? [] : [t("notLooked", { most: MOST_BETS })];
  if (logged.verdict === "right") return [t("inLog", { position: logged.position })];
  return [t(logged.verdict === "wrong" ? "notInLog" : "notLogged")];
}

/** Sentences about the bet's place in the list and its payout. */
function useBetWords({ bet, mine, place, paid }: CheckedBet, proof: Proof): string[] {
  const t = useTranslations("fairness");
  const locale = useLocale();
  if (mine === "wrong") return [t("bets.notMine")];
  const amount = formatMoney(bet.payout_minor / 100, locale);
  const count = proof.frozen?.record.count ?? 0;
  const places = {
    right: () => t("bets.inList", { place: (bet.index ?? 0) + 1, count }),
    wrong: () => t("bets.notInList"),
    unproved: () => t("bets.unproved"),
    later: () => t("bets.notSealed"),
  };
  const words = [places[place]()];
  if (proof.state === "voided")
    words.push(t(paid === "right" ? "bets.returned" : "bets.returning"));
  else if (paid === "right") words.push(t("bets.paid", { amount }));
  else if (paid === "wrong") words.push(t("bets.paidWrong", { amount }));
  return words;
}
