import { useTranslations } from "use-intl";
import { IconButton } from "./Button.tsx";
import { toast } from "./Toaster.tsx";

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

/** Copies text to the clipboard; false where the browser refuses. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedBySelection(text);
  }
}

/** Fallback for plain-http addresses, which have no clipboard API. */
function copiedBySelection(text: string): boolean {
  const before = document.activeElement;
  const field = document.createElement("textarea");
  field.value = text;
  field.readOnly = true;
  field.style.position = "fixed";
  field.style.opacity = "0";
  // Elements outside an open dialog cannot be selected.
  (before?.closest("dialog") ?? document.body).append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  return done;
}
