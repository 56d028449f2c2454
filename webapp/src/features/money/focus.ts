/** Puts the cursor into the first field of a form that has an error, once it stands there. */
export function focusWrong(form: HTMLFormElement): void {
  requestAnimationFrame(() => form.querySelector<HTMLInputElement>("[aria-invalid=true]")?.focus());
}
