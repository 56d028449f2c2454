import { useTranslations } from "use-intl";
import { useOdds } from "../../api/games.ts";
import { useConfig } from "../../api/queries.ts";
import type { OddsItem, Plan } from "../../api/types.ts";
import { useKindName } from "../../i18n/kinds.ts";
import styles from "./Rules.module.css";

const HOW = ["how2", "how3", "how4", "how5"] as const;
const FUNDS = ["funds1", "funds2"] as const;
const FINANCE = [
  "big",
  "small",
  "odd",
  "even",
  "big_odd",
  "big_even",
  "small_odd",
  "small_even",
  "extreme_big",
  "extreme_small",
] as const;

/** How the game goes, what each bet pays, and what it returns on average. */
export function Rules({ plan }: { plan: Plan | undefined }) {
  const t = useTranslations("lottery");
  const common = useTranslations("common");
  const asScheduled = useConfig()?.demo === false;
  return (
    <div className={styles.rules}>
      <p className={styles.chance}>{common("chance")}</p>
      <section>
        <h2>{t("how")}</h2>
        <ol>
          <li>{t(asScheduled ? "how1" : "how1Demo")}</li>
          {HOW.map((step) => (
            <li key={step}>{t(step)}</li>
          ))}
        </ol>
      </section>
      {plan && <Odds plan={plan} />}
      <section>
        <h2>{t("financeTitle")}</h2>
        <p>{t("financeText")}</p>
        <p>
          {FINANCE.map((kind) => `${common(`kinds.${kind}`)} = ${common(`finance.${kind}`)}`).join(
            " · ",
          )}
        </p>
      </section>
      <section>
        <h2>{t("fair")}</h2>
        <p>{t("fairText")}</p>
      </section>
      <section>
        <h2>{t("funds")}</h2>
        {FUNDS.map((text) => (
          <p key={text}>{t(text)}</p>
        ))}
      </section>
    </div>
  );
}

function Odds({ plan }: { plan: Plan }) {
  const t = useTranslations("lottery");
  const odds = useOdds(plan.id, plan.game_id).data;
  if (odds === undefined) return null;
  return (
    <section>
      <h2>{t("oddsTitle")}</h2>
      <p>{t("oddsText")}</p>
      <OddsTable items={odds.rule_base} />
      <h2>{t("sums")}</h2>
      <OddsTable items={odds.rule_num} />
    </section>
  );
}

function OddsTable({ items }: { items: OddsItem[] }) {
  const t = useTranslations("lottery");
  const kindName = useKindName();
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">{t("bet")}</th>
          <th scope="col">{t("odds")}</th>
          <th scope="col">{t("returned")}</th>
        </tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <tr key={item.class}>
            <th scope="row">{kindName(item.class)}</th>
            <td>{item.odds.toFixed(2)}</td>
            <td>{t("percent", { value: item.return_percent.toFixed(2) })}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
