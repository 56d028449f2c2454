import { useNavigate, useSearchParams } from "react-router";
import { useLocale, useTranslations } from "use-intl";
import { usePayInfo } from "../../api/standing.ts";
import type { PayAccount, PayoutType } from "../../api/types.ts";
import { Button } from "../../components/Button.tsx";
import { EmptyState } from "../../components/EmptyState.tsx";
import { Page } from "../../components/Page.tsx";
import { Skeleton } from "../../components/Skeleton.tsx";
import { TopBar } from "../../components/TopBar.tsx";
import { useFailureText } from "../../i18n/failure.ts";
import { formatMoment } from "../../lib/moment.ts";
import { isGuest, useSession } from "../../lib/session.ts";
import styles from "./Money.module.css";
import parts from "./Parts.module.css";
import { PayoutArt } from "./PayoutArt.tsx";
import { SavedAccount } from "./SavedAccount.tsx";
import { Stale } from "./Stale.tsx";
import { VisitorNote } from "./VisitorNote.tsx";

const FORMS = { 0: "/addBankCard", 1: "/addVirtualWallet" } as const;

/** The bank card (type=0) or the virtual wallet (type=1) that withdrawals are paid to. */
export default function PayoutPage() {
  const t = useTranslations("money.account");
  const [query] = useSearchParams();
  const guest = useSession(isGuest);
  const type: PayoutType = query.get("type") === "1" ? 1 : 0;
  return (
    <Page top={<TopBar title={t(`kind${type}`)} />} className={styles.page}>
      {guest ? <VisitorNote /> : <Account key={type} type={type} />}
    </Page>
  );
}

function Account({ type }: { type: PayoutType }) {
  const common = useTranslations("common");
  const failure = useFailureText();
  const read = usePayInfo(type);
  if (read.data === undefined) {
    if (!read.error) return <Skeleton />;
    return (
      <EmptyState
        icon="alert"
        text={failure(read.error)}
        action={common("reload")}
        onAction={() => read.refetch()}
      />
    );
  }
  const { account, asOf } = read.data;
  return (
    <>
      <Stale query={read} />
      {account.is_set ? <Saved account={account} asOf={asOf} /> : <None type={type} />}
    </>
  );
}

function Saved({ account, asOf }: { account: PayAccount; asOf: number }) {
  const t = useTranslations("money.account");
  const locale = useLocale();
  const navigate = useNavigate();
  const cooling = account.usable_at > asOf;
  return (
    <>
      <SavedAccount account={account} />
      <p className={cooling ? styles.warning : styles.note}>
        {cooling ? t("cooling", { time: formatMoment(account.usable_at, locale) }) : t("usable")}
      </p>
      <Button full onClick={() => navigate(FORMS[account.type])}>
        {t(`replace${account.type}`)}
      </Button>
      <p className={styles.note}>{t("replaceText")}</p>
    </>
  );
}

function None({ type }: { type: PayoutType }) {
  const t = useTranslations("money.account");
  const navigate = useNavigate();
  return (
    <div className={parts.none}>
      <PayoutArt type={type} />
      <p>{t(`none${type}`)}</p>
      <Button variant="gold" full onClick={() => navigate(FORMS[type])}>
        {t(`add${type}`)}
      </Button>
    </div>
  );
}
