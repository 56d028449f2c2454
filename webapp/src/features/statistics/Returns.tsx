import { useState } from "react";
import { useLocale, useTranslations } from "use-intl";
import type { GameStatistics, ReturnRow } from "../../api/types.ts";
import { Tabs } from "../../components/Tabs.tsx";
import { useBetText } from "../../i18n/names.ts";
import { formatMoney, formatSigned } from "../../lib/money.ts";
import { type Book, booksOf, isOutside, tablesOf, wholeOf } from "./figures.ts";
import styles from "./StatisticsPage.module.css";

/** What the settled bets of a game paid, against what their odds pay on average. */
export function Returns({ game }: { game: GameStatistics }) {
  const t = useTranslations("statistics");
  const [book, choose] = useState<Book>("members");
  const books = booksOf(game);
  return (
    <section>
      <h2>{t("returns")}</h2>
      {books.length > 1 && (
        <Tabs
          look="segment"
          label={t("whose")}
          tabs={books.map((id) => ({ id, label: t(id) }))}
          value={book}
          onChange={choose}
        />
      )}
      {book === "bots" && <p>{t("botsNote")}</p>}
      <OfBook game={game} book={book} />
      <h2>{t("zTitle")}</h2>
      <p>{t("z1")}</p>
      <p>{t("z2")}</p>
    </section>
  );
}

function OfBook({ game, book }: { game: GameStatistics; book: Book }) {
  const t = useTranslations("statistics");
  const lottery = useTranslations("lottery");
  const whole = wholeOf(game, book);
  const tables = tablesOf(game, book);
  if (whole === undefined) return <p>{t("noBets")}</p>;
  const rows = [whole, ...tables.flatMap((each) => each.rows)];
  return (
    <>
      <ReturnTable rows={[whole]} />
      {tables.map(({ table, rows: ofTable }) => (
        <div key={table} className={styles.part}>
          <p>{lottery("oddsTable", { table })}</p>
          <ReturnTable rows={ofTable} />
        </div>
      ))}
      <p data-testid="outside">
        {t("outside", { outside: rows.filter(isOutside).length, rows: rows.length })}
      </p>
    </>
  );
}

function ReturnTable({ rows }: { rows: ReturnRow[] }) {
  const t = useTranslations("statistics");
  const lottery = useTranslations("lottery");
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">{lottery("bet")}</th>
          <th scope="col">{t("theory")}</th>
          <th scope="col">{t("actual")}</th>
          <th scope="col">{t("z")}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Row key={row.kind} row={row} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ row }: { row: ReturnRow }) {
  const t = useTranslations("statistics");
  const lottery = useTranslations("lottery");
  const common = useTranslations("common");
  const betText = useBetText();
  const locale = useLocale();
  const percent = (value: number) => lottery("percent", { value: formatMoney(value, locale) });
  return (
    <tr data-kind={row.kind || "all"} data-testid="return-row">
      <th scope="row">
        {row.kind ? betText(row.kind) : t("allBets")}
        <small>
          <span>{t("bets", { bets: row.bets })}</span>
          <span>{t("staked", { amount: formatMoney(row.stake, locale) })}</span>
          <span>{t("paid", { amount: formatMoney(row.payout, locale) })}</span>
        </small>
      </th>
      <td>{percent(row.theoretical)}</td>
      <td>{percent(row.actual)}</td>
      <td>
        {row.z_score === null ? common("none") : formatSigned(row.z_score, locale)}
        {isOutside(row) && <small className={styles.mark}>{t("isOutside")}</small>}
      </td>
    </tr>
  );
}
