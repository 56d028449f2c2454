import { useNavigate, useSearchParams } from "react-router";
import { useLocale, useTranslations } from "use-intl";
import { usePayInfo } from "../../api/payoutAndSecurity.ts";
import type { PayAccount, PayoutType } from "../../api/types.ts";
import { Button } from "../../components/Button.tsx";
import { Icon } from "../../components/Icon.tsx";
import { Page, TopBar } from "../../components/Page.tsx";
import { EmptyState, Skeleton } from "../../components/Placeholder.tsx";
import { StaleNotice } from "../../components/StaleNotice.tsx";
import { useErrorText } from "../../components/useErrorText.ts";
import { formatDateTime } from "../../lib/formatDateTime.ts";
import { isGuest, useSession } from "../../lib/session.ts";
import styles from "./Money.module.css";
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
  const failure = useErrorText();
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
      <StaleNotice query={read} />
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
        {cooling ? t("cooling", { time: formatDateTime(account.usable_at, locale) }) : t("usable")}
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
    <div className={styles.none}>
      <PayoutArt type={type} />
      <p>{t(`none${type}`)}</p>
      <Button variant="gold" full onClick={() => navigate(FORMS[type])}>
        {t(`add${type}`)}
      </Button>
    </div>
  );
}

/** A saved payout account: masked, but distinguishable. */
function SavedAccount({ account }: { account: PayAccount }) {
  const t = useTranslations("money.account");
  const isCard = account.type === 0;
  return (
    <section className={styles.saved} aria-label={t(`kind${account.type}`)}>
      <p className={styles.head}>
        <b>
          {isCard ? account.acc_bank : t("walletName", { type: account.acc_name.toUpperCase() })}
        </b>
        <Icon name={isCard ? "card" : "wallet"} size={26} />
      </p>
      <p className={styles.number}>{account.acc}</p>
      <p className={styles.savedAccountFoot}>{isCard ? account.acc_name : t("kind1")}</p>
    </section>
  );
}

/** A blank card, or a wallet with its flap open: what is still to be added. */
function PayoutArt({ type }: { type: PayoutType }) {
  return (
    <svg viewBox="0 0 160 112" width="160" height="112" aria-hidden="true" fill="none">
      {type === 0 ? <BlankCard /> : <OpenWallet />}
    </svg>
  );
}

function BlankCard() {
  return (
    <>
      <rect
        x="26"
        y="26"
        width="112"
        height="70"
        rx="10"
        stroke="var(--line-strong)"
        strokeWidth="2"
      />
      <rect
        x="16"
        y="14"
        width="112"
        height="70"
        rx="10"
        fill="var(--gold-soft)"
        stroke="var(--gold)"
        strokeWidth="2"
      />
      <path d="M16 32h112" stroke="var(--gold)" strokeWidth="7" opacity="0.55" />
      <rect x="28" y="46" width="18" height="13" rx="3" stroke="var(--gold)" strokeWidth="2" />
      <path d="M28 52h18M37 46v13" stroke="var(--gold)" strokeWidth="1.5" />
      <path
        d="M28 71h14M48 71h14M68 71h14M88 71h14"
        stroke="var(--gold)"
        strokeWidth="3"
        strokeLinecap="round"
        opacity="0.6"
      />
      <circle cx="128" cy="84" r="15" fill="var(--ground)" stroke="var(--gold)" strokeWidth="2" />
      <path d="M128 77v14M121 84h14" stroke="var(--gold)" strokeWidth="2.5" strokeLinecap="round" />
    </>
  );
}

function OpenWallet() {
  return (
    <>
      <path
        d="M24 34l82-20a8 8 0 0 1 10 7v13"
        stroke="var(--line-strong)"
        strokeWidth="2"
        strokeLinejoin="round"
      />
      <rect
        x="18"
        y="34"
        width="112"
        height="60"
        rx="10"
        fill="var(--gold-soft)"
        stroke="var(--gold)"
        strokeWidth="2"
      />
      <path
        d="M130 54h-26a11 11 0 0 0 0 22h26"
        fill="var(--ground)"
        stroke="var(--gold)"
        strokeWidth="2"
      />
      <circle cx="105" cy="65" r="3.5" fill="var(--gold)" />
      <path
        d="M34 54l9-6 9 6v11l-9 6-9-6zM34 54l9 6 9-6M43 60v11"
        stroke="var(--gold)"
        strokeWidth="1.8"
        strokeLinejoin="round"
        opacity="0.75"
      />
      <circle cx="130" cy="94" r="15" fill="var(--ground)" stroke="var(--gold)" strokeWidth="2" />
      <path d="M130 87v14M123 94h14" stroke="var(--gold)" strokeWidth="2.5" strokeLinecap="round" />
    </>
  );
}
