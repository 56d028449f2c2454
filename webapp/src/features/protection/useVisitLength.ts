import { useTranslations } from "use-intl";
import { minutesOf, useVisit } from "../../lib/visitTimer.ts";

const HOUR_MIN = 60;

/** The length of this visit in words: "12 min", "1 h 5 min". */
export function useVisitLength(): string {
  const t = useTranslations("protection");
  const minutes = useVisit(({ visit }) => (visit === null ? 0 : minutesOf(visit)));
  if (minutes < HOUR_MIN) return t("minutes", { minutes });
  return t("hours", { hours: Math.floor(minutes / HOUR_MIN), minutes: minutes % HOUR_MIN });
}
