import { useState } from "react";
import { useTranslations } from "use-intl";
import { reasonOf } from "../../api/errors.ts";
import type { SafetyInfo } from "../../api/types.ts";
import { Button } from "../../components/Button.tsx";
import { Field } from "../../components/Field.tsx";
import { Advice } from "./Advice.tsx";
import { useSetCode } from "./calls.ts";
import { type CodeForm, codeDigits, codeProblems, TRIES } from "./rules.ts";
import styles from "./Security.module.css";
import { type RefusedAt, useSecrets, useStanding } from "./useSecrets.ts";

interface ChangeCodeProps {
  onSet: (safety: SafetyInfo) => void;
  /** The house knows better what is to be done, by the name of its refusal. */
  onRefused: (reason: string) => void;
}

/** The old code and a new one. A wrong old code is one of ten tries, of which the form counts its own. */
export function ChangeCode(props: ChangeCodeProps) {
  const t = useTranslations("security.code");
  const common = useTranslations("common");
  const { form, busy, field } = useSecrets({ old: "", fresh: "" }, codeProblems, useSend(props));
  const code = (name: keyof CodeForm) => {
    const { onChange, ...rest } = field(name);
    return {
      ...rest,
      placeholder: t("six"),
      type: "password",
      inputMode: "numeric" as const,
      autoComplete: "off",
      maxLength: 6,
      onChange: (event: Parameters<typeof onChange>[0]) => {
        event.target.value = codeDigits(event.target.value);
        onChange(event);
      },
    };
  };
  return (
    <>
      <form {...form} className={styles.form}>
        <Field {...code("old")} label={t("old")} />
        <Field {...code("fresh")} label={t("new")} />
        <Button type="submit" variant="gold" full busy={busy}>
          {common("confirm")}
        </Button>
      </form>
      <Advice sentences={[t("advice"), t("cooling")]} />
    </>
  );
}

function useSend({ onSet, onRefused }: ChangeCodeProps) {
  const t = useTranslations("security.code");
  const standing = useStanding();
  const setCode = useSetCode();
  const [wrong, setWrong] = useState(0);
  return async ({ old, fresh }: CodeForm): Promise<RefusedAt<keyof CodeForm> | null> => {
    try {
      onSet(await setCode(fresh, old));
      return null;
    } catch (error) {
      onRefused(reasonOf(error));
      if (reasonOf(error) !== "security_code_wrong") return standing(error);
      setWrong(wrong + 1);
      return { field: "old", text: t("wrong", { left: Math.max(0, TRIES - wrong - 1) }) };
    }
  };
}
