/** Class names that apply, joined; undefined when none does. */
export function classes(...names: (string | false | undefined)[]): string | undefined {
  return names.filter(Boolean).join(" ") || undefined;
}
