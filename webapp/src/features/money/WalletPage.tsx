import { useTranslations } from "use-intl";
import { Button } from "../../components/Button.tsx";
import { Field } from "../../components/Field.tsx";
import { Page, TopBar } from "../../components/Page.tsx";
import { classes } from "../../lib/classes.ts";
import { isGuest, useSession } from "../../lib/session.ts";
import choice from "./Money.module.css";
import { WALLET_TYPES } from "./queries.ts";
import { useAccountForm } from "./useSavePayoutAccount.ts";
import { VisitorNote } from "./VisitorNote.tsx";

const FIELDS = ["acc", "acc_name"] as const;
const LONGEST_ADDRESS = 100;

export default function WalletPage() {
  const t = useTranslations("money.account");
  const guest = useSession(isGuest);
  return (
    <Page top={<TopBar title={t("add1")} />} className={choice.page}>
      {guest ? <VisitorNote /> : <Form />}
    </Page>
  );
}

function Form() {
  const t = useTranslations("money.wallet");
  const common = useTranslations("common");
  const { busy, element, form, set, field, errorOf, submit } = useAccountForm(1, FIELDS);
  return (
    <form ref={element} className={choice.form} onSubmit={submit} noValidate>
      <Field
        {...field("acc", t("needAddress"), (text) => text.trim())}
        label={t("address")}
        placeholder={t("needAddress")}
        hint={t("addressHint")}
        autoComplete="off"
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        maxLength={LONGEST_ADDRESS}
      />
      <TypeChoice
        chosen={form.acc_name}
        error={errorOf("acc_name", t("needType"))}
        onChoose={(type) => set("acc_name", type)}
      />
      <p className={choice.note}>{t("advice")}</p>
      <Button type="submit" variant="gold" full busy={busy}>
        {common("confirm")}
      </Button>
    </form>
  );
}

interface TypeChoiceProps {
  chosen: string;
  error: string | undefined;
  onChoose: (type: string) => void;
}

/** The network of a USDT address: trc20, erc20 or omni. */
function TypeChoice({ chosen, error, onChoose }: TypeChoiceProps) {
  const t = useTranslations("money.wallet");
  return (
    <fieldset className={classes(choice.choice, choice.row)} aria-describedby="wallet-type-note">
      <legend>{t("type")}</legend>
      {WALLET_TYPES.map((type) => (
        <label key={type}>
          <input
            type="radio"
            name="acc_name"
            checked={chosen === type}
            aria-invalid={error !== undefined}
            onChange={() => onChoose(type)}
          />
          <b>{type.toUpperCase()}</b>
        </label>
      ))}
      <p id="wallet-type-note" className={error === undefined ? choice.hint : choice.error}>
        {error ?? t("typeHint")}
      </p>
    </fieldset>
  );
}
