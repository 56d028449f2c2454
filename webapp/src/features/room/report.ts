import { useTranslations } from "use-intl";
import { acceptedMinor, type Report } from "./placing.ts";
import { useFigures } from "./words.ts";

/** One sentence on what became of a press of which not all was accepted. */
export function useReportTitle(): (report: Report) => string {
  const t = useTranslations("room.report");
  const figures = useFigures();
  return (report) => {
    const { accepted, refused } = report;
    if (accepted.length === 0) {
      return t(refused.every((bet) => bet.undecided) ? "nothingSure" : "none");
    }
    const total = String(accepted.length + refused.length);
    const amount = figures.units(acceptedMinor(report) / 100);
    return t("some", { accepted: String(accepted.length), total, amount });
  };
}
