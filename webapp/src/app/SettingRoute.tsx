import { useSearchParams } from "react-router";
import { PageAt } from "./pages.ts";

const PROTECTION = "3";

/** /setting shows by its `type`; the parts of other features are pages of theirs. */
export function SettingRoute() {
  const [query] = useSearchParams();
  return query.get("type") === PROTECTION ? (
    <PageAt name="protection" />
  ) : (
    <PageAt name="setting" />
  );
}
