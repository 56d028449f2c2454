import { TIMEOUT_MS } from "./client.ts";

/**
 * Measures how long a line takes to answer, in whole ms; null when it does not. Two requests: the
 * first opens the connection, which calls find open.
 */
export async function measureLatency(address: string): Promise<number | null> {
  try {
    await alive(address);
    const asked = performance.now();
    await alive(address);
    return Math.max(1, Math.round(performance.now() - asked));
  } catch {
    return null;
  }
}

/** Rejects unless our server answers: a captive portal answers too. */
async function alive(address: string): Promise<void> {
  const answer = await fetch(`${address}/healthz`, {
    cache: "no-store",
    credentials: "omit",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const { status } = await answer.json();
  if (status !== "alive") throw new Error(`${address} is no house`);
}
