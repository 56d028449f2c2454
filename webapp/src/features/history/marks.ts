import { useTranslations } from "use-intl";
import { namedKinds, useKindText } from "../../i18n/kinds.ts";

/** A mark of the ledger as the server writes it: game, round, a comma of the language, the bet. */
const BET_MARK = /^(.*\d(?:, |，|、))(.+)$/;

/** A ledger mark whose bet is named as everywhere else; any other mark as it is. */
export function useMarkText(): (mark: string) => string {
  const t = useTranslations("common.kinds");
  const text = useKindText();
  return (mark) => {
    const [, round, named] = BET_MARK.exec(mark) ?? [];
    if (round === undefined || named === undefined) return mark;
    const kind = /^\d+$/.test(named) ? named : namedKinds.find((each) => t(each) === named);
    // Both names of a bet stay on one line.
    return kind === undefined
      ? mark
      : round + text(kind).replaceAll(" ", "\u00a0").replaceAll("-", "-\u2060");
  };
}
