import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { TIMEOUT_MS } from "../api/client.ts";
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

/**
 * Measures how long a line takes to answer, in whole ms; null when it does not. Two requests: the
 * first opens the connection, which calls find open.
 */
async function measureLatency(address: string): Promise<number | null> {
  try {
    await alive(address);
    const asked = performance.now();
    await alive(address);
    return Math.max(1, Math.round(performance.now() - asked));
  } catch {
    return null;
  }
}

/** Rejects unless our server answers: a captive portal answers too. */
async function alive(address: string): Promise<void> {
  const answer = await fetch(`${address}/healthz`, {
    cache: "no-store",
    credentials: "omit",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const { status } = await answer.json();
  if (status !== "alive") throw new Error(`${address} is no house`);
}
