import { useTranslations } from "use-intl";
import { namedKinds } from "../../i18n/kinds.ts";
import styles from "./Rules.module.css";

/** A bet's names in the investment style beside its plain one. */
export function Names() {
  const t = useTranslations("lottery");
  const rules = useTranslations("rules");
  const kinds = useTranslations("common.kinds");
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
          {namedKinds.map((kind) => (
            <tr key={kind}>
              <th scope="row">{kinds(kind)}</th>
              <td>{rules(`names.${kind}`)}</td>
            </tr>
          ))}
          <tr>
            <th scope="row">{rules("exactSum")}</th>
            <td>{rules("names.number")}</td>
          </tr>
        </tbody>
      </table>
      <p>{rules("flat")}</p>
    </section>
  );
}
