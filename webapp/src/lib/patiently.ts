import { styled } from "./styleSheets.ts";

const AGAIN_MS = 2_000;

/**
 * What `load` brings, however often it takes: for parts without which the app goes on meanwhile.
 * A failure is thrown where `isHopeless`.
 */
export async function patiently<Part>(
  load: () => Promise<Part>,
  isHopeless = async () => false,
): Promise<Part> {
  for (;;) {
    try {
      await styled();
      return await load();
    } catch (error) {
      if (await isHopeless()) throw error;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}
