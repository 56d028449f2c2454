import type { ReactNode } from "react";
import { IntlProvider, useLocale, useMessages, useTranslations } from "use-intl";
import { EmptyState } from "../../components/EmptyState.tsx";
import { Skeleton } from "../../components/Skeleton.tsx";
import { useRulesTexts } from "../../i18n/rules.ts";
import { OPERATOR_ZONE } from "../../lib/dates.ts";

/** Lets what is inside speak of the rules, once the long texts are loaded. */
export function RulesWords({ children }: { children: ReactNode }) {
  const common = useTranslations("common");
  const locale = useLocale();
  const messages = useMessages();
  const { data: rules, isError, refetch } = useRulesTexts();
  if (rules !== undefined) {
    return (
      <IntlProvider locale={locale} messages={{ ...messages, rules }} timeZone={OPERATOR_ZONE}>
        {children}
      </IntlProvider>
    );
  }
  if (!isError) return <Skeleton />;
  return (
    <EmptyState
      icon="alert"
      text={common("loadFailed")}
      action={common("reload")}
      onAction={() => refetch()}
    />
  );
}
