import {
  CandlestickSeries,
  createChart,
  type IChartApi,
  type ISeriesApi,
  type UTCTimestamp,
} from "lightweight-charts";
import { type KeyboardEvent, useEffect, useEffectEvent, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import type { Candle } from "../../api/types.ts";
import { useSentenceGap } from "../../i18n/sentences.ts";
import { useSettings } from "../../lib/settings.ts";
import styles from "./CandleChart.module.css";

/** The draws as candles; a finger or the arrow keys select one, and a line describes it. */
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
      <p className={styles.tooltip} role="status" data-testid="candle-tooltip">
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

/** The canvas: what is ours of lightweight-charts. */

// A canvas takes no system-ui; behind the app's own font is what phones and desktops have.
const FONT = "'Fairdraw Sans', Roboto, 'Noto Sans', 'Helvetica Neue', Arial, sans-serif";
const HIGHEST_SUM = 27;
const MIDDLE = 13.5;
const MOST_BARS = 48;
const FEWEST_BARS = 16;
// Room next to the first candle for half of its label.
const MARGIN = 1 / 16;
const LETTERS_REM = 0.75;
const LARGEST_PX = 20;

/** The library's time axis gets the index of the candle, so that draws are evenly spaced. */
const timeAt = (place: number) => place as UTCTimestamp;

interface Chart {
  show(candles: readonly Candle[]): void;
  /** Put the cross on a candle, as a finger would. */
  point(place: number): void;
  paint(): void;
  remove(): void;
}

/** A canvas knows no rem. */
function lettersPx(): number {
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  return Math.min(LETTERS_REM * rem, LARGEST_PX);
}

/** What of an issue fits under an axis: its number within the day. */
export function shortIssue(issue: string): string {
  return issue.slice(-3);
}

/** The scale reaches a little further than the sums do. */
function labelOf(sum: number): string {
  return sum >= 0 && sum <= HIGHEST_SUM ? String(sum) : "";
}

/** Draws into `box`; calls `onPoint` with the index of the selected candle, null for none. */
function drawInto(box: HTMLElement, onPoint: (place: number | null) => void): Chart {
  let candles: readonly Candle[] = [];
  const issueAt = (time: unknown) => shortIssue(candles[Number(time)]?.issue ?? "");
  const chart = createChart(box, {
    autoSize: true,
    layout: { fontFamily: FONT, fontSize: lettersPx(), attributionLogo: false },
    rightPriceScale: { borderVisible: false, scaleMargins: { top: 0.06, bottom: 0.06 } },
    timeScale: { borderVisible: false, allowBoldLabels: false, tickMarkFormatter: issueAt },
    localization: { timeFormatter: issueAt, priceFormatter: labelOf },
    handleScale: { axisPressedMouseMove: false },
  });
  const series = chart.addSeries(CandlestickSeries, {
    priceFormat: { type: "price", precision: 0, minMove: 1 },
    // A tag on the scale would cover its numbers; the heading shows the newest sum.
    lastValueVisible: false,
    priceLineVisible: false,
    autoscaleInfoProvider: () => ({ priceRange: { minValue: 0, maxValue: HIGHEST_SUM } }),
  });
  const middle = series.createPriceLine({ price: MIDDLE, lineStyle: 2, axisLabelVisible: false });
  chart.subscribeCrosshairMove(({ time }) => onPoint(time === undefined ? null : Number(time)));
  const setData = () => {
    const unchanged = getComputedStyle(box).getPropertyValue("--text-2").trim();
    series.setData(candles.map((candle, place) => dataOf(candle, place, unchanged)));
  };
  const paintAll = () => {
    paint(chart, series, box);
    setData();
    middle.applyOptions({ color: getComputedStyle(box).getPropertyValue("--line-strong").trim() });
  };
  paintAll();
  return {
    show(shown) {
      const before = candles.length;
      candles = shown;
      setData();
      // Until they fill the width, the library would move all to the left with each new one.
      if (before < FEWEST_BARS) showNewest(chart, shown.length);
    },
    point(place) {
      const candle = candles[place];
      if (candle) chart.setCrosshairPosition(candle.cand_code, timeAt(place), series);
    },
    paint: paintAll,
    remove: () => chart.remove(),
  };
}

/** A sum like the one before neither rose nor fell: the library would paint it as risen. */
function dataOf({ cand: [open, close, low, high] }: Candle, place: number, unchanged: string) {
  const bar = { time: timeAt(place), open, close, low, high };
  return open === close
    ? { ...bar, color: unchanged, borderColor: unchanged, wickColor: unchanged }
    : bar;
}

/** The newest candles are at the right; too few to fill the width, they begin at the left. */
function showNewest(chart: IChartApi, count: number): void {
  const end = Math.max(FEWEST_BARS, count);
  const bars = Math.min(MOST_BARS, end);
  chart.timeScale().setVisibleLogicalRange({ from: end - bars * (1 + MARGIN), to: end + 1 });
}

/** Colours are the page's own, in its theme and direction of red. */
function paint(chart: IChartApi, series: ISeriesApi<"Candlestick">, box: HTMLElement): void {
  const styles = getComputedStyle(box);
  const colour = (name: string) => styles.getPropertyValue(name).trim();
  const resolved = (name: string) => {
    const probe = document.createElement("i");
    probe.style.color = `var(${name})`;
    box.append(probe);
    const found = getComputedStyle(probe).color;
    probe.remove();
    return found;
  };
  const [gain, loss] = [resolved("--gain"), resolved("--loss")];
  chart.applyOptions({
    layout: { background: { color: "transparent" }, textColor: colour("--text-2") },
    grid: { vertLines: { visible: false }, horzLines: { color: colour("--line") } },
    crosshair: {
      vertLine: { color: colour("--gold"), labelBackgroundColor: colour("--raised") },
      horzLine: { visible: false, labelVisible: false },
    },
  });
  series.applyOptions({
    upColor: gain,
    wickUpColor: gain,
    borderUpColor: gain,
    downColor: loss,
    wickDownColor: loss,
    borderDownColor: loss,
  });
}
