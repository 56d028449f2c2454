import { CallError } from "../../api/errors.ts";

/** What a refused withdrawal is called here; null where the server's own words are shown. */
export function transferFailure(error: unknown): "failed" | null {
  if (!(error instanceof CallError)) return "failed";
  const isOurs = error.reason === "no_network" || error.reason === "cancelled";
  return error.message === "" && !isOurs ? "failed" : null;
}

/** What a refusal says about the code that was typed; null where it is not about it. */
export function codeFailure(error: unknown): "wrongCode" | "lockedCode" | null {
  if (!(error instanceof CallError)) return null;
  if (error.reason === "security_code_wrong") return "wrongCode";
  return error.reason === "security_code_locked" ? "lockedCode" : null;
}
