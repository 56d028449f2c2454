import type { QueryClient } from "@tanstack/react-query";

/**
 * Clears the caches: query data that no page shows, and what the
 * browser cached. Data on the screen is fetched again. Session, settings and slips stay.
 */
export async function clearCache(queries: QueryClient): Promise<void> {
  queries.removeQueries({ type: "inactive" });
  queries.invalidateQueries();
  // Missing on plain-http addresses of a local network.
  if (typeof caches === "undefined") return;
  const names = await caches.keys();
  await Promise.all(names.map((name) => caches.delete(name)));
}
