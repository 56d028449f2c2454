import { useTranslations } from "use-intl";
import { useKindWords } from "../../i18n/kinds.ts";

/** A bet's name as useKindText writes it, its plain word an element of its own. */
export function KindLabel({ kind }: { kind: string }) {
  const common = useTranslations("common");
  const { name, plain } = useKindWords()(kind);
  if (/^\d+$/.test(kind)) {
    return (
      <>
        {common("sum")} <span>{plain}</span>
      </>
    );
  }
  if (name === plain) return plain;
  const text = common("bothNames", { name, plain });
  const at = text.lastIndexOf(plain);
  return (
    <>
      {text.slice(0, at)}
      <span>{plain}</span>
      {text.slice(at + plain.length)}
    </>
  );
}
