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
  return (
    <>
      {name} (<span>{plain}</span>)
    </>
  );
}
