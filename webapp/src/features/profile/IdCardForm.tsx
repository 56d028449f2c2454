import { type FormEvent, useState } from "react";
import { useTranslations } from "use-intl";
import { Button } from "../../components/Button.tsx";
import { Field } from "../../components/Field.tsx";
import { toast } from "../../components/toast.ts";
import { useFailureText } from "../../i18n/failure.ts";
import { useFirstProblem } from "../../lib/firstProblem.ts";
import { useStoreProfile } from "./calls.ts";
import styles from "./Profile.module.css";

const LONGEST = 40;

/** Stands only until a number is stored: it is stored once for all. */
export function IdCardForm() {
  const t = useTranslations("profile.base");
  const failure = useFailureText();
  const store = useStoreProfile();
  const [ref, showProblem] = useFirstProblem();
  const [idcard, setIdcard] = useState("");
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const complain = (text: string) => {
    setProblem(text);
    setBusy(false);
    showProblem();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (idcard.trim() === "") return complain(t("needIdcard"));
    setBusy(true);
    store({ idcard: idcard.trim() }).then(
      (words) => toast(words, "good"),
      (error) => {
        toast(failure(error), "bad");
        complain(failure(error));
      },
    );
  };
  return (
    <form ref={ref} className={styles.form} onSubmit={submit} noValidate>
      <Field
        label={t("idcard")}
        placeholder={t("idcardPlaceholder")}
        hint={t("idcardHint")}
        error={problem}
        name="idcard"
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        maxLength={LONGEST}
        value={idcard}
        onChange={(event) => {
          setIdcard(event.target.value);
          setProblem(undefined);
        }}
      />
      <Button type="submit" variant="gold" full busy={busy}>
        {t("save")}
      </Button>
    </form>
  );
}
