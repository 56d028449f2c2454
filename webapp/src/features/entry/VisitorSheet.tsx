import { type FormEvent, useState } from "react";
import { useTranslations } from "use-intl";
import { call } from "../../api/client.ts";
import type { UserInfo } from "../../api/types.ts";
import { Button } from "../../components/Button.tsx";
import { Check } from "../../components/Field.tsx";
import { Sheet } from "../../components/Sheet.tsx";
import { useFailureToast } from "../../i18n/failure.ts";
import { useFirstProblem } from "../../lib/firstProblem.ts";
import { newKey } from "../../lib/key.ts";
import { forgetUsername } from "../../lib/remember.ts";
import styles from "./Entry.module.css";
import { randomCapitals, visitorName } from "./rules.ts";
import { useEnter } from "./useEnter.ts";

const PASSWORD_LETTERS = 6;

interface Made {
  user: UserInfo;
  password: string;
}

async function registerVisitor(): Promise<Made> {
  const password = randomCapitals(PASSWORD_LETTERS);
  const username = visitorName(Date.now());
  const body = { username, password, group_id: 2 as const, inviter_id: "" };
  const { data } = await call("user/register", body, { key: newKey() });
  return { user: data.userinfo, password };
}

/** A visitor account behind a box that must be ticked; its credentials are shown once. */
export function VisitorSheet({ open, onClose }: { open: boolean; onClose: () => void }) {
  const t = useTranslations("entry");
  const enter = useEnter();
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
  const fail = useFailureToast();
  const [agreed, setAgreed] = useState(false);
  const [refused, setRefused] = useState(false);
  const [form, showProblem] = useFirstProblem();
  const [busy, setBusy] = useState(false);
  const go = async (event: FormEvent) => {
    event.preventDefault();
    if (!agreed) {
      forgetUsername();
      setRefused(true);
      return showProblem();
    }
    setBusy(true);
    await registerVisitor().then(onMade, fail);
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
