import { Navigate } from "react-router";
import { useTranslations } from "use-intl";
import { BreakNotice } from "../../components/BreakNotice.tsx";
import { EmptyState } from "../../components/EmptyState.tsx";
import { Page } from "../../components/Page.tsx";
import { Skeleton } from "../../components/Skeleton.tsx";
import { TopBar } from "../../components/TopBar.tsx";
import { useFailureText } from "../../i18n/failure.ts";
import { isGuest, useSession } from "../../lib/session.ts";
import styles from "./Money.module.css";
import { useWithdrawInfo } from "./queries.ts";
import { Stale } from "./Stale.tsx";
import { VisitorNote } from "./VisitorNote.tsx";
import { WithdrawForm } from "./WithdrawForm.tsx";
import { hasAccount, type Standing } from "./withdrawal.ts";

export default function WithdrawPage() {
  const t = useTranslations("money.withdraw");
  const guest = useSession(isGuest);
  return (
    <Page top={<TopBar title={t("title")} />} className={styles.page}>
      {guest ? <VisitorNote /> : <Withdraw />}
    </Page>
  );
}

/** Without an account to be paid to there is nothing to fill in: the page leads to adding one. */
function Withdraw() {
  const common = useTranslations("common");
  const failure = useFailureText();
  const read = useWithdrawInfo();
  if (read.data === undefined && read.error) {
    return (
      <EmptyState
        icon="alert"
        text={failure(read.error)}
        action={common("reload")}
        onAction={() => read.refetch()}
      />
    );
  }
  // What was read before may be older than an account that was added since.
  const known = read.data && (hasAccount(read.data.info) || !read.isFetching);
  if (read.data === undefined || !known) return <Skeleton />;
  if (!hasAccount(read.data.info)) return <Navigate to="/bankCardManage?type=0" replace />;
  const newest = async (): Promise<Standing | null> => {
    const { data } = await read.refetch();
    return data ?? null;
  };
  return (
    <>
      <BreakNotice here />
      <Stale query={read} />
      <WithdrawForm standing={read.data} newest={newest} />
    </>
  );
}
