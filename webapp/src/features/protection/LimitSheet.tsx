import { type FormEvent, useEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { useConfig } from "../../api/queries.ts";
import { Button } from "../../components/Button.tsx";
import { Field } from "../../components/Field.tsx";
import { PlayMoney } from "../../components/PlayMoney.tsx";
import { Sheet } from "../../components/Sheet.tsx";
import styles from "./Limits.module.css";
import { holdsAtOnce, type KnownLimit, parseLimit } from "./limits.ts";
import { useCommand } from "./useCommand.ts";

interface LimitSheetProps {
  /** The limit that is being changed; null while none is. */
  limit: KnownLimit | null;
  onClose: () => void;
}

export function LimitSheet({ limit, onClose }: LimitSheetProps) {
  const t = useTranslations("protection.limits.names");
  const title = limit === null ? "" : t(`${limit.subject}_${limit.span}`);
  return (
    <Sheet open={limit !== null} onClose={onClose} title={title}>
      {limit && <Form limit={limit} onDone={onClose} />}
    </Sheet>
  );
}

function Form({ limit, onDone }: { limit: KnownLimit; onDone: () => void }) {
  const t = useTranslations("protection.limits");
  const demo = useConfig()?.demo;
  const { busy, send } = useCommand("user/setLimit");
  const [typed, setTyped] = useState(limit.amount === null ? "" : String(limit.amount));
  const [tried, setTried] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  // The dialog, which opens after this, begins here rather than at its close button.
  useEffect(() => field.current?.setAttribute("autofocus", ""), []);
  const amount = parseLimit(typed);
  const save = async (next: number | null) => {
    const { subject, span } = limit;
    if (await send({ subject, span, amount: next })) onDone();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (amount === null) field.current?.focus();
    else void save(amount);
  };
  const effect = holdsAtOnce(limit.amount, amount) ? t("atOnce") : t("inADay");
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <div>
        <PlayMoney show={demo} />
      </div>
      <Field
        ref={field}
        label={t("amount")}
        hint={t("amountHint")}
        error={tried && amount === null ? t("badAmount") : undefined}
        name="limit"
        inputMode="decimal"
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <p className={styles.effect} role="status">
        {amount !== null && effect}
      </p>
      <Button type="submit" variant="gold" full busy={busy}>
        {t("save")}
      </Button>
      {limit.amount !== null && (
        <Button full disabled={busy} onClick={() => save(null)}>
          {t("remove")}
        </Button>
      )}
    </form>
  );
}
