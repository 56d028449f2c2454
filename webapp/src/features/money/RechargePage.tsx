import { useState } from "react";
import { Link } from "react-router";
import { useTranslations } from "use-intl";
import { useRest } from "../../api/protection.ts";
import { useProfile } from "../../api/queries.ts";
import type { Recharge } from "../../api/types.ts";
import { BreakNotice } from "../../components/BreakNotice.tsx";
import { EmptyState } from "../../components/EmptyState.tsx";
import { Icon } from "../../components/Icon.tsx";
import { Page } from "../../components/Page.tsx";
import { Skeleton } from "../../components/Skeleton.tsx";
import { Tabs } from "../../components/Tabs.tsx";
import { TopBar } from "../../components/TopBar.tsx";
import { useFailureText } from "../../i18n/failure.ts";
import { isGuest, useSession } from "../../lib/session.ts";
import { AskFirst } from "./AskFirst.tsx";
import { DepositNotice } from "./DepositNotice.tsx";
import { Deposits } from "./Deposits.tsx";
import { type Way, waysOf } from "./deposit.ts";
import styles from "./Money.module.css";
import { useRecharge } from "./queries.ts";
import { BankDetails, UsdtDetails } from "./Receiving.tsx";
import { RechargeFigures } from "./RechargeFigures.tsx";
import { Stale } from "./Stale.tsx";
import { VisitorNote } from "./VisitorNote.tsx";

/** Where to send a deposit, the member's word that it is on its way, and what became of it. */
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
  const failure = useFailureText();
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
      <Stale query={read} />
      {read.data && <RechargeFigures recharge={read.data} />}
      {read.data && <PayIn recharge={read.data} />}
    </>
  );
}

function PayIn({ recharge }: { recharge: Recharge }) {
  const t = useTranslations("money.recharge");
  const ways = waysOf(recharge);
  const [way, setWay] = useState<Way>(ways[0] ?? "bank");
  const rests = useRest() !== null;
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
      {!rests && <DepositNotice key={way} way={way} recharge={recharge} />}
      <Deposits />
      <AskFirst />
    </>
  );
}

/** Who a member is, is asked for here, and not first when money is to leave. */
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
