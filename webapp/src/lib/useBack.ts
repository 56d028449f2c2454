import { useNavigate } from "react-router";

function hasBefore(): boolean {
  const state: unknown = window.history.state;
  if (typeof state !== "object" || state === null || !("idx" in state)) return false;
  return typeof state.idx === "number" && state.idx > 0;
}

/** Goes back in the app's history, or to `otherwise` where there is none. */
export function useBack(otherwise = "/"): () => void {
  const navigate = useNavigate();
  return () => (hasBefore() ? navigate(-1) : navigate(otherwise, { replace: true }));
}
