import { useEffect, useState } from "react";

/** Whether the player asked the phone for less movement. */
export function useReducedMotion(): boolean {
  const [query] = useState(() => matchMedia("(prefers-reduced-motion: reduce)"));
  const [reduced, setReduced] = useState(query.matches);
  useEffect(() => {
    const changed = () => setReduced(query.matches);
    query.addEventListener("change", changed);
    return () => query.removeEventListener("change", changed);
  }, [query]);
  return reduced;
}
