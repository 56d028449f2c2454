import { type ComponentType, lazy, Suspense } from "react";
import { useSession } from "../lib/session.ts";

/** Without its chunk the app goes on without a reminder. */
const RealityCheck = lazy(
  (): Promise<{ default: ComponentType }> =>
    import("../features/protection/RealityCheck.tsx").catch(() => ({ default: () => null })),
);

/** The reality check of whoever is signed in as a member; visitors cannot play. */
export function Reminder() {
  const isMember = useSession((session) => session.token !== "" && session.group_id !== 2);
  return <Suspense fallback={null}>{isMember && <RealityCheck />}</Suspense>;
}
