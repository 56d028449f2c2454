const AGAIN_MS = 5_000;

/** What `load` brings, however often it takes: for parts without which the app goes on meanwhile. */
export async function patiently<Part>(load: () => Promise<Part>): Promise<Part> {
  for (;;) {
    try {
      return await load();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}
