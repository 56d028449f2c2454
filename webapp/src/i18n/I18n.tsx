import type { ReactNode } from "react";
import { IntlProvider } from "use-intl";
import { useOperatorTimezone } from "../lib/dates.ts";
import { tagOf } from "../lib/locales.ts";
import { currentLocale } from "./locale.ts";
import { useTexts } from "./texts.ts";

/** Gives everything within it the texts that are loaded, and more as they come. */
export function I18n({ children }: { children: ReactNode }) {
  const texts = useTexts((state) => state.texts);
  const zone = useOperatorTimezone((state) => state.zone);
  return (
    <IntlProvider locale={tagOf(currentLocale())} messages={texts} timeZone={zone}>
      {children}
    </IntlProvider>
  );
}
