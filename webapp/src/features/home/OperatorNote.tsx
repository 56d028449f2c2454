import { useTranslations } from "use-intl";
import type { AppConfig } from "../../api/types.ts";
import styles from "./OperatorNote.module.css";

/** Who runs this, from what age, and that it is a game of chance; a demonstration has no licence. */
export function OperatorNote({ config }: { config: AppConfig | undefined }) {
  const t = useTranslations("home");
  const common = useTranslations("common");
  return (
    <footer className={styles.note}>
      <p>{common("chance")}</p>
      {config && (
        <p>
          {config.demo
            ? t("demo", { name: config.operator.name, age: String(config.operator.minimum_age) })
            : t("operator", {
                name: config.operator.name,
                licence: config.operator.licence,
                jurisdiction: config.operator.jurisdiction,
                age: String(config.operator.minimum_age),
              })}
        </p>
      )}
    </footer>
  );
}
