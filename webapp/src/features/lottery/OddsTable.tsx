import { useLocale, useTranslations } from "use-intl";
import { useHallOdds } from "../../api/commonQueries.ts";
import type { OddsItem, OddsList, Plan } from "../../api/types.ts";
import { useBetName } from "../../i18n/names.ts";
import { NAMED_KINDS } from "../../lib/betKinds.ts";
import { formatMoney, formatOdds } from "../../lib/money.ts";
import { drawsOf, sumsText } from "../../lib/winningSums.ts";
import styles from "./Rules.module.css";

const ALL_PERCENT = 100;

/** Odds and returns of the table in force, kind by kind, as the server itself counts them. */
export function HallOdds({ plan }: { plan: Plan }) {
  const t = useTranslations("lottery");
  const rules = useTranslations("rules");
  const odds = useHallOdds(plan.id, plan.game_id).data;
  if (odds === undefined) return null;
  const items = [...odds.rule_base, ...odds.rule_num];
  return (
    <section>
      <h2>{t("oddsTitle")}</h2>
      <p>{t("oddsText")}</p>
      <TableInForce odds={odds} />
      {items.some((item) => item.return_percent > ALL_PERCENT) && <p>{rules("over")}</p>}
      <OddsTable items={odds.rule_base} />
      <h2>{t("sums")}</h2>
      <OddsTable items={odds.rule_num} />
    </section>
  );
}

/** The table by its name, its first day if staff set it, and what another will change. */
function TableInForce({ odds }: { odds: OddsList }) {
  const t = useTranslations("lottery");
  const { odds_table: table, since: day } = odds;
  return (
    <>
      <p data-testid="odds-table">
        {day ? t("oddsSince", { table, day }) : t("oddsTable", { table })}
      </p>
      {odds.next.map((next) => (
        <div key={next.day} data-testid="odds-next">
          <p>{t("oddsNext", { day: next.day, table: next.odds_table })}</p>
          <OddsTable items={next.changed} />
        </div>
      ))}
    </>
  );
}

function OddsTable({ items }: { items: OddsItem[] }) {
  const t = useTranslations("lottery");
  const rules = useTranslations("rules");
  const kindName = useBetName();
  const locale = useLocale();
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
          <tr key={item.class} data-kind={item.class}>
            <th scope="row">
              {kindName(item.class)}
              <small>
                {sumsText(item.class) !== item.class && <span>{sumsText(item.class)}</span>}
                <span>{rules("drawn", { draws: drawsOf(item.class) })}</span>
              </small>
            </th>
            <td>{formatOdds(item.odds, locale)}</td>
            <td>{t("percent", { value: formatMoney(item.return_percent, locale) })}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A bet's investment-style name next to its plain one. */
export function BetNames() {
  const t = useTranslations("lottery");
  const rules = useTranslations("rules");
  const common = useTranslations("common");
  return (
    <section>
      <h2>{t("financeTitle")}</h2>
      <p>{t("financeText")}</p>
      <table className={styles.names}>
        <thead>
          <tr>
            <th scope="col">{t("bet")}</th>
            <th scope="col">{rules("name")}</th>
          </tr>
        </thead>
        <tbody>
          {NAMED_KINDS.map((kind) => (
            <tr key={kind}>
              <th scope="row">{common(`kinds.${kind}`)}</th>
              <td>{common(`aliases.${kind}`)}</td>
            </tr>
          ))}
          <tr>
            <th scope="row">{rules("exactSum")}</th>
            <td>{rules("numberBet")}</td>
          </tr>
        </tbody>
      </table>
      <p>{rules("flat")}</p>
    </section>
  );
}
