/** The canvas: what is ours of lightweight-charts. */
import {
  CandlestickSeries,
  createChart,
  type IChartApi,
  type ISeriesApi,
  type UTCTimestamp,
} from "lightweight-charts";
import type { Candle } from "../../api/types.ts";
import { HIGHEST_SUM, shortIssue } from "./tally.ts";

// A canvas takes no system-ui; these are what phones and desktops have.
const FONT = "Roboto, 'Noto Sans', 'Helvetica Neue', Arial, sans-serif";
const MIDDLE = 13.5;
const MOST_BARS = 48;
const FEWEST_BARS = 16;
// Beside the first candle, for the half of its label.
const MARGIN = 1 / 16;
const LETTERS_REM = 0.75;
const LARGEST_PX = 20;

/** A place among the candles stands where the library wants a time: draws are evenly apart. */
const timeAt = (place: number) => place as UTCTimestamp;

/** The scale has a line above the highest sum, and there is no such sum to name. */
const sumAt = (sum: number) => (sum < 0 || sum > HIGHEST_SUM ? "" : String(sum));

export interface Chart {
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

/** Draws into `box`; `onPoint` hears which candle is pointed at, null for none. */
export function drawInto(box: HTMLElement, onPoint: (place: number | null) => void): Chart {
  let candles: readonly Candle[] = [];
  const issueAt = (time: unknown) => shortIssue(candles[Number(time)]?.issue ?? "");
  const chart = createChart(box, {
    autoSize: true,
    layout: { fontFamily: FONT, fontSize: lettersPx(), attributionLogo: false },
    rightPriceScale: { borderVisible: false, scaleMargins: { top: 0.06, bottom: 0.06 } },
    timeScale: { borderVisible: false, allowBoldLabels: false, tickMarkFormatter: issueAt },
    localization: { timeFormatter: issueAt, priceFormatter: sumAt },
    handleScale: { axisPressedMouseMove: false },
  });
  const series = chart.addSeries(CandlestickSeries, {
    priceFormat: { type: "price", precision: 0, minMove: 1 },
    // A tag on the scale would stand over its figures; the heading tells the newest sum.
    lastValueVisible: false,
    priceLineVisible: false,
    autoscaleInfoProvider: () => ({ priceRange: { minValue: 0, maxValue: HIGHEST_SUM } }),
  });
  const middle = series.createPriceLine({ price: MIDDLE, lineStyle: 2, axisLabelVisible: false });
  chart.subscribeCrosshairMove(({ time }) => onPoint(time === undefined ? null : Number(time)));
  const paintAll = () => {
    paint(chart, series, box);
    middle.applyOptions({ color: getComputedStyle(box).getPropertyValue("--line-strong").trim() });
  };
  paintAll();
  return {
    show(shown) {
      const before = candles.length;
      candles = shown;
      series.setData(shown.map(dataOf));
      if (before === 0) showNewest(chart, shown.length);
    },
    point(place) {
      const candle = candles[place];
      if (candle) chart.setCrosshairPosition(candle.cand_code, timeAt(place), series);
    },
    paint: paintAll,
    remove: () => chart.remove(),
  };
}

function dataOf({ cand: [open, close, low, high] }: Candle, place: number) {
  return { time: timeAt(place), open, close, low, high };
}

function showNewest(chart: IChartApi, count: number): void {
  const bars = Math.min(MOST_BARS, Math.max(FEWEST_BARS, count));
  // Few of them begin at the left, as a day does.
  const first = Math.max(count - bars, 0);
  const [from, to] = [first - bars * MARGIN, first + bars + 1];
  chart.timeScale().setVisibleLogicalRange({ from, to });
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
