import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent } from "react";
import { useFailureToast } from "../i18n/failure.ts";

/** Says with the server's words that a list or a figure could not be read; what was shown stays. */
export function QueryFailures() {
  const queries = useQueryClient();
  const fail = useEffectEvent(useFailureToast());
  useEffect(
    () =>
      queries.getQueryCache().subscribe((event) => {
        if (event.type === "updated" && event.action.type === "error") fail(event.action.error);
      }),
    [queries],
  );
  return null;
}
