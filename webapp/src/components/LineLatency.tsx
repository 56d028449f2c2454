import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { measureLatency } from "../api/measureLatency.ts";
import { useLineAddress } from "../lib/lines.ts";
import type { Line } from "../lib/settings.ts";
import styles from "./LineLatency.module.css";

/** Query key of the latencies, followed by the line's address. */
export const LINE_LATENCIES = "line-times";

/** A line's latency, measured when this is shown; the earlier value stays meanwhile. */
export function LineLatency({ line }: { line: Line }) {
  const t = useTranslations("account");
  const address = useLineAddress(line);
  const { data: ms, isFetching } = useQuery({
    queryKey: [LINE_LATENCIES, address],
    queryFn: () => measureLatency(address),
    staleTime: 0,
  });
  if (typeof ms === "number") {
    return <small className={styles.answers}>{t("lineAnswers", { ms })}</small>;
  }
  if (isFetching) return <small className={styles.time}>{t("lineChecking")}</small>;
  return <small className={styles.silent}>{t("lineSilent")}</small>;
}
