import { useTranslations } from "use-intl";
import type { Trend } from "../../api/types.ts";
import { useKindName } from "../../i18n/kinds.ts";
import styles from "./TrendTable.module.css";

const COLUMNS = [
  "big",
  "small",
  "odd",
  "even",
  "big_odd",
  "small_odd",
  "big_even",
  "small_even",
] as const;

/** A row a draw: a mark where a kind was hit, else for how many draws it has been missing. */
export function TrendTable({ trend }: { trend: Trend }) {
  const t = useTranslations("charts");
  const common = useTranslations("common");
  const kindName = useKindName();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must scroll by keys too.
    <section className={styles.scroller} tabIndex={0} aria-label={t("trendLabel")}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{t("issue")}</th>
            <th scope="col">{common("sum")}</th>
            {COLUMNS.map((kind) => (
              <th key={kind} scope="col">
                {kindName(kind)}
              </th>
            ))}
          </tr>
          <tr className={styles.missing} data-testid="trend-missing">
            <th scope="row" colSpan={2}>
              {t("missingNow")}
            </th>
            {COLUMNS.map((kind) => (
              <td key={kind}>{trend.current[kind]}</td>
            ))}
          </tr>
        </thead>
        <tbody>
          {trend.draws.map((draw) => (
            <tr key={draw.issue_code} data-testid="trend-row" data-issue={draw.issue_code}>
              <th scope="row">{draw.issue_code}</th>
              <td className={styles.sum}>{draw.code}</td>
              {COLUMNS.map((kind) => (
                <td key={kind} data-kind={kind}>
                  {draw.marks.includes(kind) ? (
                    <Mark name={kindName(kind)} />
                  ) : (
                    draw.omissions[kind]
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** A hit: its shape says so as well as its colour. */
function Mark({ name }: { name: string }) {
  const t = useTranslations("charts");
  return (
    <span className={styles.mark}>
      <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
        <path d="M2 6.5l3 3 5-6.5" fill="none" stroke="currentColor" strokeWidth="2" />
      </svg>
      <span className="visually-hidden">{t("hit", { kind: name })}</span>
    </span>
  );
}
