import { type ReactNode, Suspense } from "react";
import { useIdle } from "../lib/idle.ts";

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
