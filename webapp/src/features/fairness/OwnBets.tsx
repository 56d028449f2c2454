import { useLocale, useTranslations } from "use-intl";
import type { Proof } from "../../api/types.ts";
import { useSentenceGap } from "../../i18n/sentences.ts";
import { useBetText } from "../../i18n/useBetName.ts";
import { formatMoney } from "../../lib/money.ts";
import type { CheckedBet } from "./betSet.ts";
import { canonical } from "./crypto/encoding.ts";
import styles from "./StepItem.module.css";
import { Mark, Values } from "./StepItem.tsx";
import type { Verdict } from "./verdict.ts";

/** The player's own bets: whether each is in the sealed list, and was paid by its odds. */
export function OwnBets({ bets, proof }: { bets: CheckedBet[]; proof: Proof }) {
  const t = useTranslations("fairness");
  return (
    <section className={styles.bets}>
      <h3>{t("bets.title")}</h3>
      <ul>
        {bets.map((checked) => (
          <OwnBet key={checked.bet.receipt.bet} checked={checked} proof={proof} />
        ))}
      </ul>
    </section>
  );
}

/** A bet without a path is not wrong: it is simply not proved. */
function verdictOf({ mine, place, paid }: CheckedBet): Verdict {
  const all = [mine, place, paid];
  if (all.includes("wrong")) return "wrong";
  return all.every((verdict) => verdict === "right") ? "right" : "later";
}

function OwnBet({ checked, proof }: { checked: CheckedBet; proof: Proof }) {
  const t = useTranslations("fairness");
  const locale = useLocale();
  const kind = useBetText();
  const words = useBetWords(checked, proof);
  const gap = useSentenceGap();
  const { receipt } = checked.bet;
  const verdict = verdictOf(checked);
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
        <Values values={[["receipt", canonical(receipt)]]} />
      </div>
    </li>
  );
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
