import { useMemo } from "react";
import { minorFromWire } from "../../../lib/minorUnits.ts";
import { useSession } from "../../../lib/session.ts";

/** What bets are paid from: the balance first, bonus money for the rest. */
export interface Funds {
  readonly balanceMinor: number;
  readonly bonusMinor: number;
}

/** null while it is not known. */
export function useFunds(): Funds | null {
  const money = useSession((session) => session.money);
  const score = useSession((session) => session.score);
  return useMemo(
    () =>
      money === null
        ? null
        : { balanceMinor: minorFromWire(money), bonusMinor: minorFromWire(score) },
    [money, score],
  );
}

export function spendableMinor(funds: Funds | null): number | null {
  return funds && funds.balanceMinor + funds.bonusMinor;
}
