import { useTranslations } from "use-intl";
import type { AppConfig } from "../../api/types.ts";
import { formatMinute } from "../../lib/dates.ts";
import { lengthOf, WHOLE_DAY_MIN } from "./times.ts";

/** How long a round of this house lasts, and when rounds are sold. */
export function RoundTimes({ rounds }: { rounds: AppConfig["rounds"] }) {
  const t = useTranslations("lottery");
  const { seconds, opens, minutes } = rounds;
  const { told, ...parts } = lengthOf(seconds);
  const length = t(`length.${told}`, parts);
  if (minutes >= WHOLE_DAY_MIN) return <li>{t("how1Always", { length })}</li>;
  const hours = { opens: formatMinute(opens), closes: formatMinute(opens + minutes) };
  return <li>{t("how1", { length, ...hours })}</li>;
}
