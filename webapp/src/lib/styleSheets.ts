/** Style sheets that could not be fetched. */
const failed = new Set<HTMLLinkElement>();

export function watchStyleSheets(): void {
  const note = ({ target }: Event) => {
    if (target instanceof HTMLLinkElement && target.rel === "stylesheet") failed.add(target);
  };
  addEventListener("error", note, true);
}

/**
 * Fetches those again that have failed, and fails if one does: what the bundler puts before an
 * import asks for each but once, and a page would show without its styles.
 */
export const styled = (): Promise<unknown> => Promise.all([...failed].map(again));

function again(link: HTMLLinkElement): Promise<Event> {
  failed.delete(link);
  return new Promise((resolve, reject) => {
    const copy = link.cloneNode() as HTMLLinkElement;
    copy.onload = resolve;
    copy.onerror = reject;
    link.replaceWith(copy);
  });
}
