import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { call } from "../../api/client.ts";
import type { PayAccount } from "../../api/types.ts";
import { dayOf } from "../../lib/dates.ts";
import { updateBalance, useSession } from "../../lib/session.ts";

/** How long a decision of staff may take to show here while something waits for one. */
const WAITING_MS = 10_000;
const DEPOSIT = 0;
const DAYS_BACK = 30;
const DAY_MS = 86_400_000;
/** Query keys that a change of money or of a payout account invalidates. */
const MONEY = ["withdrawInfo", "recharge", "deposits", "payInfo", "profile", "ledger"];

/** The withdrawal info, with the server's time of the answer. */
export function useWithdrawInfo() {
  const userId = useSession((session) => session.userId);
  return useQuery({
    queryKey: ["withdrawInfo", userId],
    queryFn: async ({ signal }) => {
      const { data, time } = await call("user/withdrawInfo", {}, { signal });
      updateBalance({ money: data.money, version: data.version, score: data.score });
      return { info: data, asOf: time };
    },
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.info.withdrawals.length ? WAITING_MS : false),
  });
}

/** Where deposits are sent to, and what to know before one. */
export function useRecharge() {
  const userId = useSession((session) => session.userId);
  return useQuery({
    queryKey: ["recharge", userId],
    queryFn: async ({ signal }) => (await call("user/recharge", {}, { signal })).data,
    refetchInterval: ({ state }) => (state.data?.pending ? WAITING_MS : false),
  });
}

/** The player's deposits of the last days, announced ones too, newest first. */
export function useDeposits() {
  const userId = useSession((session) => session.userId);
  return useQuery({
    queryKey: ["deposits", userId],
    queryFn: async ({ signal }) => {
      const begin_date = dayOf(Date.now() - DAYS_BACK * DAY_MS);
      const body = { begin_date, end_date: "", type: DEPOSIT } as const;
      return (await call("user/quantityLogList", body, { signal })).data;
    },
    refetchInterval: ({ state }) =>
      state.data?.some((deposit) => deposit.status === 0) ? WAITING_MS : false,
  });
}

/** Invalidates everything about the player's money. */
export function useRefreshMoney(): () => Promise<unknown> {
  const queries = useQueryClient();
  return () => Promise.all(MONEY.map((name) => queries.invalidateQueries({ queryKey: [name] })));
}

/** The networks of USDT addresses that are paid to. */
export const WALLET_TYPES = ["trc20", "erc20", "omni"] as const;

/** An account in one line: the bank and whose card, or the wallet's type and its address. */
export function useAccountName(): (account: PayAccount) => string {
  const t = useTranslations("money.account");
  return (account) =>
    account.type === 0
      ? t("bankLine", { bank: account.acc_bank, holder: account.acc_name })
      : t("walletLine", { type: account.acc_name.toUpperCase(), address: account.acc });
}
