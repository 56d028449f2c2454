import type { QueryClient } from "@tanstack/react-query";

/**
 * Drops what the app keeps for speed alone: answers that no page shows now, and whatever the
 * browser cached for it. What is shown is asked for anew. Session, settings and slips stay.
 */
export async function clearCache(queries: QueryClient): Promise<void> {
  queries.removeQueries({ type: "inactive" });
  queries.invalidateQueries();
  // Missing on plain-http addresses of a local network.
  if (typeof caches === "undefined") return;
  const names = await caches.keys();
  await Promise.all(names.map((name) => caches.delete(name)));
}
