import { useLocale, useTranslations } from "use-intl";
import type { GameStatistics } from "../../api/types.ts";
import { formatUnits } from "../../lib/money.ts";
import { ALL_DRAWS, drawsOf } from "../../lib/winningSums.ts";
import { isUnlikely, probabilityText } from "./figures.ts";
import styles from "./StatisticsPage.module.css";

const DIGITS = 10;
const PLACES = ["first", "second", "third"] as const;

/** How often each digit and each sum was drawn, and whether chance explains the differences. */
export function DrawnNumbers({ game }: { game: GameStatistics }) {
  const t = useTranslations("statistics");
  return (
    <section>
      <h2>{t("drawn")}</h2>
      <p data-testid="draws">{t("draws", { draws: game.draws })}</p>
      {game.uniformity.length > 0 ? <Tests game={game} /> : <p>{t("tooFew")}</p>}
      <p>{t("chiSquareText")}</p>
      <p>{t("pText")}</p>
      <details>
        <summary>{t("digitCounts")}</summary>
        <DigitCounts game={game} />
      </details>
      <details>
        <summary>{t("sumCounts")}</summary>
        <SumCounts game={game} />
      </details>
    </section>
  );
}

function Tests({ game }: { game: GameStatistics }) {
  const t = useTranslations("statistics");
  const locale = useLocale();
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">{t("test")}</th>
          <th scope="col">{t("chiSquare")}</th>
          <th scope="col">{t("p")}</th>
        </tr>
      </thead>
      <tbody>
        {game.uniformity.map((test) => (
          <tr key={test.of} data-testid="uniformity-row">
            <th scope="row">
              {t(`of.${test.of}`)}
              <small>{t("degrees", { degrees: test.degrees })}</small>
            </th>
            <td>{formatUnits(test.chi_square, locale)}</td>
            <td>
              {probabilityText(test.probability, locale)}
              {isUnlikely(test.probability) && (
                <small className={styles.mark}>{t("isUnlikely")}</small>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function DigitCounts({ game }: { game: GameStatistics }) {
  const t = useTranslations("statistics");
  const locale = useLocale();
  return (
    <>
      <p>{t("average", { count: formatUnits(game.draws / DIGITS, locale) })}</p>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{t("digit")}</th>
            {PLACES.map((place) => (
              <th key={place} scope="col">
                {t(`places.${place}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {Array.from({ length: DIGITS }, (_, digit) => digit).map((digit) => (
            <tr key={digit}>
              <th scope="row">{digit}</th>
              {PLACES.map((place, at) => (
                <td key={place}>{formatUnits(game.digits[at]?.[digit] ?? 0, locale)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function SumCounts({ game }: { game: GameStatistics }) {
  const t = useTranslations("statistics");
  const common = useTranslations("common");
  const locale = useLocale();
  const average = (sum: number) => (game.draws * drawsOf(String(sum))) / ALL_DRAWS;
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">{common("sum")}</th>
          <th scope="col">{t("times")}</th>
          <th scope="col">{t("onAverage")}</th>
        </tr>
      </thead>
      <tbody>
        {game.sums.map((count, sum) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the index is the sum.
          <tr key={sum}>
            <th scope="row">{sum}</th>
            <td>{formatUnits(count, locale)}</td>
            <td>{formatUnits(average(sum), locale)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
