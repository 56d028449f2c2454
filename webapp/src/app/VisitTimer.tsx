import { type ComponentType, lazy, type ReactNode, Suspense, useEffect } from "react";
import { useProtection } from "../api/protection.ts";
import { loadPageTexts } from "../i18n/texts.ts";
import { loadWithRetry } from "../lib/lazyWithRetry.ts";
import { useSession } from "../lib/session.ts";
import { recordVisit } from "../lib/visitTimer.ts";

type Loaded = { default: ComponentType<{ minutes: number }> };

const LOOK_MS = 5_000;

async function loaded(): Promise<Loaded> {
  const chunk = import("../features/protection/RealityCheck.tsx");
  const [page] = await Promise.all([chunk, loadPageTexts()]);
  return page;
}

const RealityCheck = lazy(() => loadWithRetry(loaded));

/** Records every few seconds that the player is looking at the app. */
function useCountedVisit(): void {
  const userId = useSession((session) => session.userId);
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === "visible") recordVisit(userId, Date.now());
    };
    look();
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, [userId]);
}

/**
 * Measures the visit of a signed-in member, and shows the reminders that the player switched on.
 */
export default function VisitTimer(): ReactNode {
  const isMember = useSession((session) => session.token !== "" && session.group_id !== 2);
  return isMember ? <Counted /> : null;
}

function Counted() {
  useCountedVisit();
  const minutes = useProtection().data?.reality_check_minutes ?? 0;
  return <Suspense fallback={null}>{minutes > 0 && <RealityCheck minutes={minutes} />}</Suspense>;
}
