import { useEffect, useState } from "react";

const AT_THE_LATEST_MS = 2_000;

/** True once the page stands and the phone has nothing else to do, or two seconds have passed. */
export function useIdle(): boolean {
  const [idle, setIdle] = useState(false);
  useEffect(() => {
    const note = () => setIdle(true);
    if (typeof requestIdleCallback === "undefined") {
      const timer = setTimeout(note);
      return () => clearTimeout(timer);
    }
    const asked = requestIdleCallback(note, { timeout: AT_THE_LATEST_MS });
    return () => cancelIdleCallback(asked);
  }, []);
  return idle;
}
