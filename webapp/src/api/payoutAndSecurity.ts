import { useQuery } from "@tanstack/react-query";
import { isGuest, useSession } from "../lib/session.ts";
import { call } from "./client.ts";
import type { PayoutType } from "./types.ts";

/** The player's bank card (0) or wallet (1), with the server's time of the answer. */
export function usePayInfo(type: PayoutType) {
  const userId = useSession((session) => session.userId);
  const guest = useSession(isGuest);
  return useQuery({
    queryKey: ["payInfo", userId, type],
    queryFn: async ({ signal }) => {
      const { data, time } = await call("user/payInfo", { type }, { signal });
      return { account: data, asOf: time };
    },
    enabled: !guest,
    staleTime: 0,
  });
}

/** Whether a security code is set, from when it confirms withdrawals, and whether it is locked. */
export function useSafety() {
  const token = useSession((session) => session.token);
  const guest = useSession(isGuest);
  return useQuery({
    queryKey: ["safety", token],
    queryFn: async ({ signal }) => (await call("user/safetyInfo", {}, { signal })).data,
    enabled: token !== "" && !guest,
  });
}
