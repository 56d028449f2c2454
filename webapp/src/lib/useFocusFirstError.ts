import { type RefObject, useEffect, useRef, useState } from "react";

/**
 * The ref of a form, and a function that focuses its first invalid field once the errors are
 * rendered.
 */
export function useFocusFirstError(): [RefObject<HTMLFormElement | null>, () => void] {
  const form = useRef<HTMLFormElement>(null);
  const [refusals, setRefusals] = useState(0);
  useEffect(() => {
    if (refusals === 0) return;
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [refusals]);
  return [form, () => setRefusals((count) => count + 1)];
}
