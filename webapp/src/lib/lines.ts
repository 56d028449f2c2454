import { useSession } from "./session.ts";
import { changeSettings, type Line, type Lines, useSettings } from "./settings.ts";

export const LINES = [0, 1] as const;

export const otherLine = (line: Line): Line => (line === 0 ? 1 : 0);

/**
 * The origin that a line's calls go to, from a page at `page`; "" for the page's own address.
 * A page that came by neither line may speak to no other address: it stays with its own.
 */
export function addressOf(line: Line, lines: Lines, page: string): string {
  return lines.includes(page) && lines[line] !== page ? lines[line] : "";
}

/** Where calls go now. */
export const lineAddress = (): string =>
  addressOf(useSession.getState().activeList, useSettings.getState().lines, location.origin);

export function useLineAddress(line: Line): string {
  const lines = useSettings((settings) => settings.lines);
  return addressOf(line, lines, location.origin);
}

/** Whether choosing the other line leads anywhere else. */
export const useLinesDiffer = (): boolean => useLineAddress(0) !== useLineAddress(1);

/** For this session, and for the next start of the app. */
export function chooseLine(line: Line): void {
  useSession.setState({ activeList: line });
  changeSettings({ line });
}

/** The house has told its lines: the device remembers them for the next start. */
export function noteLines(lines: Lines): void {
  if (String(lines) !== String(useSettings.getState().lines)) changeSettings({ lines });
}
