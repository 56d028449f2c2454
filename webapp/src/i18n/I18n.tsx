import type { ReactNode } from "react";
import { IntlProvider } from "use-intl";
import { OPERATOR_ZONE } from "../lib/dates.ts";
import { currentLocale, TAGS } from "./locale.ts";
import { useTexts } from "./texts.ts";

/** Gives everything within it the texts that are loaded, and more as they come. */
export function I18n({ children }: { children: ReactNode }) {
  const texts = useTexts((state) => state.texts);
  return (
    <IntlProvider locale={TAGS[currentLocale()]} messages={texts} timeZone={OPERATOR_ZONE}>
      {children}
    </IntlProvider>
  );
}
