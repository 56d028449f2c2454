/**
 * Puts a text on the clipboard; false where that is not possible. The Clipboard API is missing on
 * plain-http addresses, where the selection's old way is left. `within` is where focus may go:
 * below an open dialog nothing can be selected.
 */
export async function copyText(text: string, within: Element = document.body): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text, within);
  }
}

function copySelected(text: string, within: Element): boolean {
  const focused = document.activeElement;
  const field = document.createElement("textarea");
  field.value = text;
  field.readOnly = true;
  field.className = "visually-hidden";
  within.append(field);
  field.select();
  try {
    return document.execCommand("copy");
  } catch {
    return false;
  } finally {
    field.remove();
    if (focused instanceof HTMLElement) focused.focus();
  }
}
