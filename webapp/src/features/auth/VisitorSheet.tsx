import { type FormEvent, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { call } from "../../api/client.ts";
import { keepsKey, useFormKey } from "../../api/idempotencyKey.ts";
import type { UserInfo } from "../../api/types.ts";
import { Button } from "../../components/Button.tsx";
import { Check, useFocusFirstError } from "../../components/Field.tsx";
import { Sheet } from "../../components/Sheet.tsx";
import { useErrorToast } from "../../components/useErrorText.ts";
import styles from "./Auth.module.css";
import { forgetUsername, useCompleteLogin } from "./useCompleteLogin.ts";
import { randomCapitals, visitorName } from "./validateRegistration.ts";

const PASSWORD_LETTERS = 6;

interface Made {
  user: UserInfo;
  password: string;
}

function newVisitor() {
  const password = randomCapitals(PASSWORD_LETTERS);
  return { username: visitorName(Date.now()), password, group_id: 2 as const, inviter_id: "" };
}

/** Registers a visitor. After an attempt whose result is unknown the same one is sent again. */
function useRegisterVisitor(): () => Promise<Made> {
  const key = useFormKey();
  const sent = useRef<ReturnType<typeof newVisitor>>(null);
  return async () => {
    sent.current ??= newVisitor();
    const body = sent.current;
    try {
      const { data } = await call("user/register", body, { key: key.of(body) });
      return { user: data.userinfo, password: body.password };
    } catch (error) {
      key.failed(error);
      if (!keepsKey(error)) sent.current = null;
      throw error;
    }
  };
}

/** A visitor account behind a box that must be ticked; its credentials are shown once. */
export function VisitorSheet({ open, onClose }: { open: boolean; onClose: () => void }) {
  const t = useTranslations("entry");
  const enter = useCompleteLogin();
  const [made, setMade] = useState<Made | null>(null);
  const leave = () => (made ? enter(made.user, "registerDone") : onClose());
  return (
    <Sheet open={open} onClose={leave} title={made ? t("guestMade") : t("guestTitle")}>
      {made ? <Credentials made={made} onGo={leave} /> : <Ask onMade={setMade} />}
    </Sheet>
  );
}

function Ask({ onMade }: { onMade: (made: Made) => void }) {
  const t = useTranslations("entry");
  const fail = useErrorToast();
  const register = useRegisterVisitor();
  const [agreed, setAgreed] = useState(false);
  const [refused, setRefused] = useState(false);
  const [form, showProblem] = useFocusFirstError();
  const [busy, setBusy] = useState(false);
  const go = async (event: FormEvent) => {
    event.preventDefault();
    if (!agreed) {
      forgetUsername();
      setRefused(true);
      return showProblem();
    }
    setBusy(true);
    await register().then(onMade, fail);
    setBusy(false);
  };
  return (
    <form ref={form} className={styles.form} onSubmit={go} noValidate>
      <p className={styles.text}>{t("guestText")}</p>
      <Check
        label={t("guestAgree")}
        checked={agreed}
        error={refused && !agreed ? t("guestMustAgree") : undefined}
        onChange={(event) => setAgreed(event.target.checked)}
      />
      <Button type="submit" variant="gold" full busy={busy}>
        {t("guestGo")}
      </Button>
    </form>
  );
}

function Credentials({ made, onGo }: { made: Made; onGo: () => void }) {
  const t = useTranslations("entry");
  return (
    <>
      <p className={styles.text}>{t("guestKeep")}</p>
      <dl className={styles.credentials}>
        <dt>{t("username")}</dt>
        <dd>{made.user.username}</dd>
        <dt>{t("password")}</dt>
        <dd>{made.password}</dd>
      </dl>
      <Button variant="gold" full onClick={onGo}>
        {t("go")}
      </Button>
    </>
  );
}
