import { useSession } from "./session.ts";
import { changeSettings, type Line, type Lines, useSettings } from "./settings.ts";

export const LINES = [0, 1] as const;

export const otherLine = (line: Line): Line => (line === 0 ? 1 : 0);

/**
 * The origin that a line's calls go to, from a page at `page`; "" for the page's own address.
 * A line is one of two addresses of the server. A page loaded from any other address calls only
 * that address.
 */
export function addressOf(line: Line, lines: Lines, page: string): string {
  return lines.includes(page) && lines[line] !== page ? lines[line] : "";
}

/** The origin of calls now. */
export const lineAddress = (): string =>
  addressOf(useSession.getState().activeList, useSettings.getState().lines, location.origin);

export function useLineAddress(line: Line): string {
  const lines = useSettings((settings) => settings.lines);
  return addressOf(line, lines, location.origin);
}

/** Whether the two lines have different addresses. */
export const useLinesDiffer = (): boolean => useLineAddress(0) !== useLineAddress(1);

/** For this session, and for the next start of the app. */
export function chooseLine(line: Line): void {
  useSession.setState({ activeList: line });
  changeSettings({ line });
}

/** Stores the lines of the configuration for the next start. */
export function saveLines(lines: Lines): void {
  if (String(lines) !== String(useSettings.getState().lines)) changeSettings({ lines });
}
