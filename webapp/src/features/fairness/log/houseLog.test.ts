import { afterEach, expect, test, vi } from "vitest";
import { houseLog } from "./houseLog.ts";

const ADDRESS = "https://fairdraw.test";

afterEach(() => vi.unstubAllGlobals());

/** Answers as a browser does whose cache still holds what it fetched before. */
function browserCache(server: (url: string) => string | null) {
  const cached = new Map<string, string>();
  return async (url: string, { cache }: RequestInit = {}) => {
    const text = (cache === "no-store" ? undefined : cached.get(url)) ?? server(url);
    if (text === null) throw new TypeError("Failed to fetch");
    cached.set(url, text);
    return new Response(text);
  };
}

test("a checkpoint is what the house shows now, not what the browser still has of it", async () => {
  let isReachable = true;
  vi.stubGlobal("location", { origin: ADDRESS });
  vi.stubGlobal(
    "fetch",
    browserCache(() => (isReachable ? "a checkpoint" : null)),
  );
  const log = houseLog(new AbortController().signal);
  expect(await log.checkpoint()).toBe("a checkpoint");
  isReachable = false;
  await expect(log.checkpoint()).rejects.toThrow();
});
