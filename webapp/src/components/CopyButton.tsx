import { useTranslations } from "use-intl";
import { copyText } from "../lib/clipboard.ts";
import { IconButton } from "./Button.tsx";
import { toast } from "./toast.ts";

interface CopyButtonProps {
  text: string;
  /** What is copied, read aloud: "Copy card number". */
  label: string;
  /** Said once it is copied. */
  done?: string;
}

export function CopyButton({ text, label, done }: CopyButtonProps) {
  const t = useTranslations("profile");
  const copy = async () => {
    if (await copyText(text)) toast(done ?? t("copied"), "good");
    else toast(t("copyFailed"), "bad");
  };
  return <IconButton icon="copy" label={label} onClick={copy} />;
}
