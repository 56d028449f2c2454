import { useState } from "react";
import type { PayAccount } from "../../api/types.ts";
import { AccountChoice } from "./AccountChoice.tsx";
import { unitsOf } from "./amount.ts";
import { CodeSheet } from "./CodeSheet.tsx";
import { HeldBack } from "./HeldBack.tsx";
import { useWithdrawing } from "./useWithdrawing.ts";
import { WithdrawAmount } from "./WithdrawAmount.tsx";
import { WithdrawDone } from "./WithdrawDone.tsx";
import { OnTheWay, WhatNext, WithdrawFigures } from "./WithdrawParts.tsx";
import { firstAccount, type Standing } from "./withdrawal.ts";

export interface WithdrawFormProps {
  standing: Standing;
  /** The same, read anew; null where it could not be. */
  newest: () => Promise<Standing | null>;
}

/** What may be taken out, to where, and how much; the keypad opens once all of it is right. */
export function WithdrawForm({ standing, newest }: WithdrawFormProps) {
  const { info } = standing;
  const [chosen, setChosen] = useState(() => firstAccount(info));
  const account: PayAccount = info.pay_list[chosen];
  const withdrawing = useWithdrawing();
  return (
    <>
      <WithdrawFigures standing={standing} method={chosen} />
      <HeldBack standing={standing} method={chosen} />
      <AccountChoice accounts={info.pay_list} chosen={chosen} onChoose={setChosen} />
      <WithdrawAmount
        standing={standing}
        newest={newest}
        method={chosen}
        onAmount={(minor) => withdrawing.ask({ type: chosen, money: unitsOf(minor) })}
      />
      <OnTheWay withdrawals={info.withdrawals} />
      <WhatNext />
      <CodeSheet withdrawing={withdrawing} account={account} />
      <WithdrawDone done={withdrawing.done} account={account} />
    </>
  );
}
