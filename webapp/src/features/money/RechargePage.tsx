import { useState } from "react";
import { Link } from "react-router";
import { useLocale, useTranslations } from "use-intl";
import { useConfig, useProfile } from "../../api/commonQueries.ts";
import { useBettingBlock } from "../../api/protection.ts";
import type { Recharge } from "../../api/types.ts";
import { Amount, PlayMoney } from "../../components/Amount.tsx";
import { BreakNotice } from "../../components/BreakNotice.tsx";
import { Button } from "../../components/Button.tsx";
import { Icon } from "../../components/Icon.tsx";
import { Card, Page, TopBar } from "../../components/Page.tsx";
import { EmptyState, Skeleton } from "../../components/Placeholder.tsx";
import ServiceSheet from "../../components/ServiceSheet.tsx";
import { StaleNotice } from "../../components/StaleNotice.tsx";
import { StatRow } from "../../components/StatRow.tsx";
import { Tabs } from "../../components/Tabs.tsx";
import { useErrorText } from "../../components/useErrorText.ts";
import { formatMoney } from "../../lib/money.ts";
import { isGuest, useSession } from "../../lib/session.ts";
import { AnnounceDeposit, Deposits } from "./AnnounceDeposit.tsx";
import { type Way, waysOf } from "./deposit.ts";
import styles from "./Money.module.css";
import { useRecharge } from "./queries.ts";
import { BankDetails, UsdtDetails } from "./ReceivingAccounts.tsx";
import { VisitorNote } from "./VisitorNote.tsx";

/** Where to send a deposit, the form that announces it, and the status of the latest ones. */
export default function RechargePage() {
  const t = useTranslations("money.recharge");
  const guest = useSession(isGuest);
  return (
    <Page top={<TopBar title={t("title")} />} className={styles.page}>
      {guest ? <VisitorNote /> : <Deposit />}
    </Page>
  );
}

function Deposit() {
  const common = useTranslations("common");
  const failure = useErrorText();
  const read = useRecharge();
  return (
    <>
      {read.data === undefined && !read.error && <Skeleton />}
      {read.data === undefined && read.error && (
        <EmptyState
          icon="alert"
          text={failure(read.error)}
          action={common("reload")}
          onAction={() => read.refetch()}
        />
      )}
      <StaleNotice query={read} />
      {read.data && <RechargeFigures recharge={read.data} />}
      {read.data && <PayIn recharge={read.data} />}
    </>
  );
}

function PayIn({ recharge }: { recharge: Recharge }) {
  const t = useTranslations("money.recharge");
  const ways = waysOf(recharge);
  const [way, setWay] = useState<Way>(ways[0] ?? "bank");
  const rests = useBettingBlock() !== null;
  if (ways.length === 0) {
    return (
      <>
        <BreakNotice />
        <Link className={styles.prompt} to="/withdraw">
          <Icon name="info" size={22} />
          <span>{t("discontinued")}</span>
          <Icon name="next" size={16} />
        </Link>
        <Deposits />
      </>
    );
  }
  return (
    <>
      <GiveBaseInfo />
      <BreakNotice />
      <Tabs
        look="segment"
        label={t("ways")}
        value={way}
        onChange={setWay}
        tabs={ways.map((each) => ({ id: each, label: t(each) }))}
      />
      {way === "bank" && <BankDetails recharge={recharge} />}
      {way === "online" && <p className={styles.note}>{t("onlineText")}</p>}
      {way === "usdt" && <p className={styles.note}>{t("usdtText")}</p>}
      <UsdtDetails recharge={recharge} />
      {!rests && <AnnounceDeposit key={way} way={way} recharge={recharge} />}
      <Deposits />
      <SupportFooter />
    </>
  );
}

/** Asks for the base info before a deposit, not only at a withdrawal. */
function GiveBaseInfo() {
  const t = useTranslations("money.recharge");
  const profile = useProfile().data;
  if (profile === undefined || profile.usercrud) return null;
  return (
    <Link className={styles.prompt} to="/baseinfo">
      <Icon name="person" size={22} />
      <span>{t("baseInfo")}</span>
      <Icon name="next" size={16} />
    </Link>
  );
}

/** The balance, pending deposits, turnover due, and the headroom of the player's limits. */
function RechargeFigures({ recharge }: { recharge: Recharge }) {
  const t = useTranslations("money.recharge");
  const locale = useLocale();
  const demo = useConfig()?.demo;
  return (
    <Card className={styles.balance}>
      <p>
        {t("balance")} <PlayMoney show={demo} />
      </p>
      <Amount value={recharge.money} className={styles.total} />
      <StatRow
        figures={[
          [t("pending"), <Amount key="pending" value={recharge.pending} />],
          [t("due"), <Amount key="due" value={recharge.turnover_due} />],
        ]}
      />
      <p className={styles.room}>
        {recharge.room === null
          ? t("noLimit")
          : t("room", { amount: formatMoney(recharge.room, locale) })}{" "}
        <Link to="/setting?type=3">{t(recharge.room === null ? "setLimit" : "limits")}</Link>
      </p>
    </Card>
  );
}

/** Receiving accounts change: the player must ask customer service before each deposit. */
function SupportFooter() {
  const t = useTranslations("money");
  const [open, setOpen] = useState(false);
  return (
    <footer className={styles.foot}>
      <p>{t("recharge.foot")}</p>
      <Button variant="ghost" onClick={() => setOpen(true)}>
        {t("service")}
      </Button>
      <ServiceSheet open={open} onClose={() => setOpen(false)} />
    </footer>
  );
}
