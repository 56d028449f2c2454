import { type KeyboardEvent, useEffect, useEffectEvent, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import type { Candle } from "../../api/types.ts";
import { useSentenceGap } from "../../i18n/sentences.ts";
import { useSettings } from "../../lib/settings.ts";
import styles from "./CandleChart.module.css";
import { type Chart, drawInto } from "./chart.ts";

/** The draws as candles; a finger or the arrow keys point at one, and a line tells it. */
export function CandleChart({ candles }: { candles: readonly Candle[] }) {
  const t = useTranslations("charts");
  const gap = useSentenceGap();
  const [pointed, setPointed] = useState<number | null>(null);
  const { box, chart } = useChart(candles, setPointed);
  const at = pointed === null ? candles.length - 1 : pointed;
  const shown = candles[at];
  const move = (press: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[press.key];
    if (by === undefined) return;
    press.preventDefault();
    const next = Math.min(candles.length - 1, Math.max(0, at + by));
    setPointed(next);
    chart.current?.point(next);
  };
  return (
    <figure className={styles.figure}>
      <p className={styles.told} role="status" data-testid="candle-tooltip">
        {shown && t("tooltip", { issue: shown.issue, sum: shown.cand_code })}
      </p>
      <div
        className={styles.chart}
        role="application"
        aria-label={t("chartLabel")}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys go from candle to candle.
        tabIndex={0}
        onKeyDown={move}
      >
        {/* The library lays its canvases out in a table, which is nothing to read. */}
        <div ref={box} className={styles.canvas} aria-hidden="true" />
      </div>
      <figcaption>
        {t("candleNote")}
        {gap}
        {t("drawnWith")}
        {gap}
        <a href="https://www.tradingview.com/" target="_blank" rel="noreferrer">
          TradingView Lightweight Charts™
        </a>
      </figcaption>
    </figure>
  );
}

/** The canvas lives as long as its box; candles, theme and direction of red follow. */
function useChart(candles: readonly Candle[], onPoint: (place: number | null) => void) {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<Chart | null>(null);
  const pointedAt = useEffectEvent(onPoint);
  const { theme, redIsUp } = useSettings();
  useEffect(() => {
    if (box.current === null) return;
    const drawn = drawInto(box.current, (place) => pointedAt(place));
    chart.current = drawn;
    return () => drawn.remove();
  }, []);
  useEffect(() => chart.current?.show(candles), [candles]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours change with these.
  useEffect(() => chart.current?.paint(), [theme, redIsUp]);
  return { box, chart };
}
