import type { GameStatistics, ReturnRow } from "../../api/types.ts";
import { formatOdds } from "../../lib/money.ts";

/** About one z-score in a hundred lies outside by chance. */
const MAX_Z = 2.576;
const LEVEL = 0.01;
const SMALLEST_SHOWN = 0.001;

export const BOOKS = ["members", "bots"] as const;
export type Book = (typeof BOOKS)[number];

/** The bets of one odds table, by kind. */
export interface TableRows {
  table: string;
  rows: ReturnRow[];
}

/** Whether chance alone gives such a value only once in a hundred. */
export function isOutside({ z_score: z }: Pick<ReturnRow, "z_score">): boolean {
  return z !== null && Math.abs(z) > MAX_Z;
}

export function isUnlikely(probability: number): boolean {
  return probability < LEVEL;
}

/** Whose bets there are to show: players' always, bots' only where there are any. */
export function booksOf(game: GameStatistics): Book[] {
  return BOOKS.filter((book) => book === "members" || rowsOf(game, book).length > 0);
}

function rowsOf(game: GameStatistics, book: Book): ReturnRow[] {
  return game.returns.filter((row) => row.book === book);
}

/** The row of all bets of a book; undefined before its first settled bet. */
export function wholeOf(game: GameStatistics, book: Book): ReturnRow | undefined {
  return rowsOf(game, book).find((row) => row.kind === "");
}

/** The rows of a book by odds table, in the order in which the server sends them. */
export function tablesOf(game: GameStatistics, book: Book): TableRows[] {
  const kinds = rowsOf(game, book).filter((row) => row.kind !== "");
  const tables = [...new Set(kinds.map((row) => row.odds_table))];
  return tables.map((table) => ({
    table,
    rows: kinds.filter((row) => row.odds_table === table),
  }));
}

/** A probability with up to three decimals, or that it is below the smallest of them. */
export function probabilityText(probability: number, locale: string): string {
  const shown = formatOdds(Math.max(probability, SMALLEST_SHOWN), locale);
  return probability < SMALLEST_SHOWN ? `< ${shown}` : shown;
}
