import { type ReactNode, Suspense, useEffect, useState } from "react";

interface WhenIdleProps {
  /** It is wanted now: the page waits for nothing. */
  now?: boolean;
  children: ReactNode;
}

/** Lazy parts that are not to be seen yet: their code comes when the page stands. */
export function WhenIdle({ now = false, children }: WhenIdleProps) {
  const idle = useIdle();
  return <Suspense fallback={null}>{(idle || now) && children}</Suspense>;
}

const AT_THE_LATEST_MS = 2_000;

/** True once the page stands and the phone has nothing else to do, or two seconds have passed. */
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
