import { TIMEOUT_MS } from "./client.ts";

/**
 * How long a line takes to answer, in whole ms; null when it does not. It is asked twice: the
 * first question opens the connection, which calls find open.
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

/** Rejects unless it is the house that answers: a hotel's sign-in page does so too. */
async function alive(address: string): Promise<void> {
  const answer = await fetch(`${address}/healthz`, {
    cache: "no-store",
    credentials: "omit",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const { status } = await answer.json();
  if (status !== "alive") throw new Error(`${address} is no house`);
}
