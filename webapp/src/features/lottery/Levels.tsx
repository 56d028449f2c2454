import { Link } from "react-router";
import { useLocale, useTranslations } from "use-intl";
import { LEVELS, type Level } from "../../lib/levels.ts";
import styles from "./Rules.module.css";

/** In u; staff may set others, and a member sees those that hold beside their own turnover. */
const BY_DEFAULT: Record<Level, number> = {
  basic: 0,
  senior: 10_000,
  master: 100_000,
  expert: 1_000_000,
};

/** Member levels and what each takes, and the quota that reserves one. */
export function Levels() {
  const rules = useTranslations("rules");
  const names = useTranslations("protection.levels");
  const figure = new Intl.NumberFormat(useLocale());
  return (
    <section>
      <h2>{rules("levels")}</h2>
      <p>{rules("levels1")}</p>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{rules("level")}</th>
            <th scope="col">{rules("turnover")}</th>
          </tr>
        </thead>
        <tbody>
          {LEVELS.map((level) => (
            <tr key={level}>
              <th scope="row">{names(level)}</th>
              <td>{`${figure.format(BY_DEFAULT[level])}u`}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>{rules("levels2")}</p>
      <p>{rules("levels3")}</p>
      <Link to="/setting?type=3&part=progress" className={styles.link}>
        {rules("own")}
      </Link>
    </section>
  );
}
