import { type ComponentType, lazy, Suspense } from "react";
import { loadLaterTexts } from "../i18n/texts.ts";
import { useSession } from "../lib/session.ts";

async function loaded(): Promise<{ default: ComponentType }> {
  const chunk = import("../features/protection/RealityCheck.tsx");
  const [page] = await Promise.all([chunk, loadLaterTexts()]);
  return page;
}

/** Without its chunk the app goes on without a reminder. */
const RealityCheck = lazy(() => loaded().catch(() => ({ default: () => null })));

/** The reality check of whoever is signed in as a member; visitors cannot play. */
export function Reminder() {
  const isMember = useSession((session) => session.token !== "" && session.group_id !== 2);
  return <Suspense fallback={null}>{isMember && <RealityCheck />}</Suspense>;
}
