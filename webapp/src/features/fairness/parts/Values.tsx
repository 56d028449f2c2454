import { useTranslations } from "use-intl";
import { IconButton } from "../../../components/Button.tsx";
import { toast } from "../../../components/toast.ts";
import { copyText } from "../../../lib/clipboard.ts";
import type { Value } from "../model/step.ts";
import styles from "./Values.module.css";

/** The values behind a step, folded away; each can be copied. */
export function Values({ values }: { values: readonly Value[] }) {
  const t = useTranslations("fairness");
  if (values.length === 0) return null;
  return (
    <details className={styles.values}>
      <summary>{t("values.show")}</summary>
      <dl>
        {values.map((value) => (
          <Row key={value[0]} value={value} />
        ))}
      </dl>
    </details>
  );
}

function Row({ value: [name, text] }: { value: Value }) {
  const t = useTranslations("fairness");
  const label = t(`values.${name}`);
  const copy = async () => {
    const done = await copyText(text);
    toast(t(done ? "copied" : "copyFailed"), done ? "good" : "bad");
  };
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <code>{text}</code>
        <IconButton icon="copy" label={t("copy", { name: label })} onClick={copy} />
      </dd>
    </div>
  );
}
