import { useEffect, useState } from "react";

/** Counts 0, 1, … count−1, 0, … every `ms`, while the page is in view. */
export function useAutoplay(count: number, ms: number): [number, (at: number) => void] {
  const [at, setAt] = useState(0);
  useEffect(() => {
    if (count < 2) return;
    const timer = setTimeout(() => setAt((at + 1) % count), ms);
    return () => clearTimeout(timer);
  }, [at, count, ms]);
  return [count === 0 ? 0 : at % count, setAt];
}
