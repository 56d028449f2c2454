import { type ReactNode, Suspense, useEffect, useState } from "react";

interface WhenIdleProps {
  /** Render now instead of waiting for idle time. */
  now?: boolean;
  children: ReactNode;
}

/** Lazy parts that are not visible yet: loaded when the browser is idle. */
export function WhenIdle({ now = false, children }: WhenIdleProps) {
  const idle = useIdle();
  return <Suspense fallback={null}>{(idle || now) && children}</Suspense>;
}

const AT_THE_LATEST_MS = 2_000;

/** True once the browser is idle, or after two seconds. */
function useIdle(): boolean {
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
