import { useLocale } from "use-intl";

/** Languages whose full stop includes its space. */
const WIDE_STOP = /^(zh|ja)\b/;

/** The separator between two sentences in the page's language. */
export function useSentenceGap(): "" | " " {
  return WIDE_STOP.test(useLocale()) ? "" : " ";
}
