import { type RefObject, useEffect, useRef, useState } from "react";

/** A form, and what moves the focus to its first field with an error, once the errors are shown. */
export function useFocusFirstError(): [RefObject<HTMLFormElement | null>, () => void] {
  const form = useRef<HTMLFormElement>(null);
  const [refusals, setRefusals] = useState(0);
  useEffect(() => {
    if (refusals === 0) return;
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [refusals]);
  return [form, () => setRefusals((count) => count + 1)];
}
