import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { measureLatency } from "../api/measureLatency.ts";
import { useLineAddress } from "../lib/lines.ts";
import type { Line } from "../lib/settings.ts";
import styles from "./LineLatency.module.css";

/** Under this key, and the line's address, stands how long the line takes to answer. */
export const LINE_LATENCIES = "line-times";

/** How long a line takes to answer, measured when this is shown; an earlier figure stays meanwhile. */
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
