import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import { useLocale, useTranslations } from "use-intl";
import { call } from "../../api/client.ts";
import { useFormKey } from "../../api/idempotencyKey.ts";
import type { PayoutType } from "../../api/types.ts";
import { withStepUp } from "../../api/withStepUp.ts";
import { Button } from "../../components/Button.tsx";
import { Icon, type IconName } from "../../components/Icon.tsx";
import ServiceSheet from "../../components/ServiceSheet.tsx";
import { toast } from "../../components/Toaster.tsx";
import { useErrorToast } from "../../components/useErrorText.ts";
import { formatDateTime } from "../../lib/formatDateTime.ts";
import { LEVELS } from "../../lib/levels.ts";
import { formatMoney } from "../../lib/money.ts";
import { useRefreshMoney } from "./queries.ts";
import styles from "./WithdrawalBlockers.module.css";
import { type Reason, reasons, type WithdrawSnapshot } from "./withdrawal.ts";

interface WithdrawalBlockersProps {
  standing: WithdrawSnapshot;
  method: PayoutType;
}

const ICONS: Record<Reason, IconName> = {
  baseInfo: "person",
  code: "shield",
  locked: "lock",
  cooling: "clock",
  quota: "lock",
  turnover: "refresh",
  bonus: "info",
};

/** Why not more can be withdrawn now, each reason with what ends it. */
export function WithdrawalBlockers({ standing, method }: WithdrawalBlockersProps) {
  const t = useTranslations("money.held");
  const text = useReasonText(standing, method);
  const found = reasons(standing, method);
  if (found.length === 0) return null;
  return (
    <section className={styles.held} aria-label={t("title")}>
      <h2>{t("title")}</h2>
      <ul>
        {found.map((reason) => (
          <li key={reason}>
            <Icon name={ICONS[reason]} size={20} />
            <div>
              <p>{text(reason)}</p>
              <Remedy reason={reason} />
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function useReasonText(
  { info, asOf }: WithdrawSnapshot,
  method: PayoutType,
): (reason: Reason) => string {
  const t = useTranslations("money.held");
  const locale = useLocale();
  const levels = useTranslations("protection.levels");
  const u = (value: number) => formatMoney(value, locale);
  const at = (seconds: number) => formatDateTime(seconds, locale);
  const { bonus, quota } = info;
  return (reason) => {
    if (reason === "cooling") return t(reason, { time: at(info.pay_list[method].usable_at) });
    if (reason === "turnover") return t(reason, { due: u(info.turnover.due) });
    if (reason === "quota")
      return t(reason, {
        level: levels(LEVELS[quota?.level ?? 0] ?? LEVELS[0]),
        time: at(quota?.until ?? 0),
        due: u(quota?.due ?? 0),
      });
    if (reason !== "bonus") return t(reason);
    if (bonus.usable_at <= asOf) return t("bonus", { money: u(bonus.money), due: u(bonus.due) });
    const time = at(bonus.usable_at);
    return t("bonusLater", { money: u(bonus.money), due: u(bonus.due), time });
  };
}

function Remedy({ reason }: { reason: Reason }): ReactNode {
  const t = useTranslations("money.held");
  if (reason === "quota") return <Release />;
  if (reason === "locked") return <AskService />;
  if (reason === "baseInfo") return <Link to="/baseinfo">{t("giveBaseInfo")}</Link>;
  if (reason === "code") return <Link to="/setSecurityCode?isTrue=false">{t("setCode")}</Link>;
  return null;
}

/** Cancels a quota reservation, which reopens withdrawals immediately. */
function Release() {
  const t = useTranslations("money.held");
  const fail = useErrorToast();
  const refresh = useRefreshMoney();
  const key = useFormKey();
  const [busy, setBusy] = useState(false);
  const release = async () => {
    setBusy(true);
    try {
      const { msg } = await withStepUp(() => call("user/releaseQuota", {}, { key: key.of({}) }));
      key.decided();
      toast(String(msg), "good");
    } catch (error) {
      key.failed(error);
      fail(error);
    }
    await refresh();
    setBusy(false);
  };
  return (
    <Button busy={busy} onClick={release}>
      {t("release")}
    </Button>
  );
}

function AskService() {
  const t = useTranslations("money");
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t("service")}</Button>
      <ServiceSheet open={open} onClose={() => setOpen(false)} />
    </>
  );
}
