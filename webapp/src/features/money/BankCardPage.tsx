import { useTranslations } from "use-intl";
import { Button } from "../../components/Button.tsx";
import { Field } from "../../components/Field.tsx";
import { Page, TopBar } from "../../components/Page.tsx";
import { isGuest, useSession } from "../../lib/session.ts";
import styles from "./Money.module.css";
import { grouped, useAccountForm } from "./useSavePayoutAccount.ts";
import { VisitorNote } from "./VisitorNote.tsx";

const FIELDS = ["acc_name", "acc", "acc_bank"] as const;
const LONGEST_NAME = 60;
/** Thirty digits and the blanks between their groups. */
const LONGEST_NUMBER = 37;

export default function BankCardPage() {
  const t = useTranslations("money.account");
  const guest = useSession(isGuest);
  return (
    <Page top={<TopBar title={t("add0")} />} className={styles.page}>
      {guest ? <VisitorNote /> : <Form />}
    </Page>
  );
}

function Form() {
  const t = useTranslations("money.card");
  const common = useTranslations("common");
  const { busy, element, field, submit } = useAccountForm(0, FIELDS);
  const holder = field("acc_name", t("needHolder"));
  const number = field("acc", t("needNumber"), grouped);
  const bank = field("acc_bank", t("needBank"));
  return (
    <form ref={element} className={styles.form} onSubmit={submit} noValidate>
      <p className={styles.note}>{t("advice")}</p>
      <Field
        {...holder}
        label={t("holder")}
        placeholder={t("needHolder")}
        autoComplete="name"
        maxLength={LONGEST_NAME}
      />
      <Field
        {...number}
        label={t("number")}
        placeholder={t("needNumber")}
        inputMode="numeric"
        autoComplete="off"
        maxLength={LONGEST_NUMBER}
      />
      <Field
        {...bank}
        label={t("bank")}
        placeholder={t("needBank")}
        autoComplete="off"
        maxLength={LONGEST_NAME}
      />
      <p className={styles.note}>{t("kept")}</p>
      <Button type="submit" variant="gold" full busy={busy}>
        {common("confirm")}
      </Button>
    </form>
  );
}
