import { useState } from "react";
import { useTranslations } from "use-intl";
import { CallError, call } from "../../api/client.ts";
import { useFormKey } from "../../api/idempotencyKey.ts";
import type { PayoutType, Withdrawal } from "../../api/types.ts";
import { withStepUp } from "../../api/withStepUp.ts";
import { toast } from "../../components/Toaster.tsx";
import { useErrorToast } from "../../components/useErrorText.ts";
import { updateBalance } from "../../lib/session.ts";
import { useRefreshMoney } from "./queries.ts";

/** What the keypad confirms. */
export interface WithdrawalDraft {
  type: PayoutType;
  /** In u. */
  money: number;
}

export interface Withdrawing {
  /** Waits for the code; null while the form is filled in. */
  readonly wish: WithdrawalDraft | null;
  readonly ask: (wish: WithdrawalDraft) => void;
  readonly leave: () => void;
  readonly confirm: (code: string) => Promise<void>;
  readonly busy: boolean;
  /** Why the last code was refused, and whether the code is locked. */
  readonly problem: "wrongCode" | "lockedCode" | null;
  readonly done: Withdrawal | null;
}

/** A withdrawal from the press to its result. The Idempotency-Key does not depend on the code. */
export function useWithdraw(): Withdrawing {
  const fail = useTransferFailure();
  const refresh = useRefreshMoney();
  const key = useFormKey();
  const [wish, setWish] = useState<WithdrawalDraft | null>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Withdrawing["problem"]>(null);
  const [done, setDone] = useState<Withdrawal | null>(null);
  const ask = (asked: WithdrawalDraft) => {
    setProblem(null);
    setWish(asked);
  };
  const send = async (asked: WithdrawalDraft, securityCode: string) => {
    const body = { ...asked, securityCode };
    const { data } = await withStepUp(() =>
      call("user/withdrawAction", body, { key: key.of(asked) }),
    );
    key.decided();
    updateBalance({ money: data.money, version: data.balance_version, score: data.score });
    setWish(null);
    setDone(data);
  };
  const refused = (error: unknown) => {
    key.failed(error);
    const aboutCode = codeFailure(error);
    setProblem(aboutCode);
    if (aboutCode !== null) return;
    setWish(null);
    fail(error);
  };
  const confirm = async (code: string) => {
    if (wish === null || busy) return;
    setBusy(true);
    setProblem(null);
    await send(wish, code).catch(refused);
    setBusy(false);
    void refresh();
  };
  return { wish, ask, leave: () => setWish(null), confirm, busy, problem, done };
}

function useTransferFailure(): (error: unknown) => void {
  const t = useTranslations("money.withdraw");
  const fail = useErrorToast();
  return (error) => {
    const ours = transferFailure(error);
    if (ours === null) fail(error);
    else toast(t(ours), "bad");
  };
}

/** The message key of a refused withdrawal; null where the server's message is shown. */
export function transferFailure(error: unknown): "failed" | null {
  if (!(error instanceof CallError)) return "failed";
  const isOurs = error.reason === "no_network" || error.reason === "cancelled";
  return error.message === "" && !isOurs ? "failed" : null;
}

/** The message key of a refused code; null where the refusal is not about the code. */
export function codeFailure(error: unknown): "wrongCode" | "lockedCode" | null {
  if (!(error instanceof CallError)) return null;
  if (error.reason === "security_code_wrong") return "wrongCode";
  return error.reason === "security_code_locked" ? "lockedCode" : null;
}
