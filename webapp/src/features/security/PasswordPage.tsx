import { useTranslations } from "use-intl";
import { Button } from "../../components/Button.tsx";
import { Field } from "../../components/Field.tsx";
import { Page, TopBar } from "../../components/Page.tsx";
import { toast } from "../../components/Toaster.tsx";
import { useSession } from "../../lib/session.ts";
import { useBack } from "../../lib/useBack.ts";
import {
  Advice,
  type RefusedAt,
  useFieldRefusal,
  useSecretForm,
  useSetPassword,
} from "./SecretForm.tsx";
import styles from "./Security.module.css";
import { type PasswordForm, passwordProblems } from "./validateSecrets.ts";

export default function PasswordPage() {
  const t = useTranslations("security.password");
  const common = useTranslations("common");
  const username = useSession((session) => session.username);
  const empty = { old: "", fresh: "", confirm: "" };
  const { form, busy, field } = useSecretForm(empty, passwordProblems, useSend());
  const fresh = { type: "password", autoComplete: "new-password" };
  return (
    <Page top={<TopBar title={t("title")} />} className={styles.page}>
      <form {...form} className={styles.form}>
        {/* For password managers, which keep a password under a name. */}
        <input type="text" autoComplete="username" value={username} readOnly hidden />
        <Field
          {...field("old")}
          label={t("old")}
          placeholder={t("oldPlaceholder")}
          type="password"
          autoComplete="current-password"
        />
        <Field {...field("fresh")} {...fresh} label={t("new")} placeholder={t("newPlaceholder")} />
        <Field
          {...field("confirm")}
          {...fresh}
          label={t("confirm")}
          placeholder={t("confirmPlaceholder")}
        />
        <Button type="submit" variant="gold" full busy={busy}>
          {common("confirm")}
        </Button>
      </form>
      <Advice sentences={[t("others"), t("advice")]} />
    </Page>
  );
}

function useSend() {
  const t = useTranslations("security.password");
  const standing = useFieldRefusal();
  const setPassword = useSetPassword();
  const back = useBack();
  return async ({ old, fresh }: PasswordForm): Promise<RefusedAt<keyof PasswordForm> | null> => {
    try {
      await setPassword(fresh, old);
      toast(t("set"), "good");
      back();
      return null;
    } catch (error) {
      return standing(error);
    }
  };
}
