import { useLocale } from "use-intl";

/** Their full stop is as wide as a sign and brings its own space. */
const WIDE_STOP = /^(zh|ja)\b/;

/** What stands between two sentences of the page's language. */
export function useSentenceGap(): "" | " " {
  return WIDE_STOP.test(useLocale()) ? "" : " ";
}
