import { useState } from "react";
import { useTranslations } from "use-intl";
import { reasonOf } from "../../api/errors.ts";
import type { SafetyInfo } from "../../api/types.ts";
import { CodePad } from "../../components/Keypad.tsx";
import { toast } from "../../components/toast.ts";
import { useFailureText } from "../../i18n/failure.ts";
import { Advice } from "./Advice.tsx";
import { useSetCode } from "./calls.ts";

interface FirstCodeProps {
  onSet: (safety: SafetyInfo) => void;
  /** There is a code already, so that this one would be a change. */
  onAlreadySet: () => void;
}

/** A keypad that sets a first code with its sixth digit. */
export function FirstCode({ onSet, onAlreadySet }: FirstCodeProps) {
  const t = useTranslations("security.code");
  const failure = useFailureText();
  const setCode = useSetCode();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const refused = (error: unknown) => {
    setBusy(false);
    setProblem(failure(error));
    if (reasonOf(error) !== "security_code_already_set") return;
    toast(failure(error), "bad");
    onAlreadySet();
  };
  const submit = (code: string) => {
    setBusy(true);
    setCode(code, "").then(onSet, refused);
  };
  return (
    <>
      <div>
        <CodePad title={t("choose")} error={problem} busy={busy} onCode={submit} />
      </div>
      <Advice sentences={[t("what"), t("advice"), t("cooling")]} />
    </>
  );
}
