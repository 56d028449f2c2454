import { useSearchParams } from "react-router";
import { ProtectionPage, SettingPage } from "./pages.ts";

const PROTECTION = "3";

/** /setting shows by its `type`; the parts of other features are pages of theirs. */
export function SettingRoute() {
  const [query] = useSearchParams();
  return query.get("type") === PROTECTION ? <ProtectionPage /> : <SettingPage />;
}
