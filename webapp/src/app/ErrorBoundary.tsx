import { Component, type ReactNode } from "react";
import { useTranslations } from "use-intl";
import { EmptyState } from "../components/Placeholder.tsx";
import { isServerReachable } from "../lib/network.ts";

/** A page that throws is replaced by a message and a reload button, never by a blank screen. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { broken: boolean }> {
  override state = { broken: false };

  static getDerivedStateFromError(): { broken: boolean } {
    return { broken: true };
  }

  override render(): ReactNode {
    return this.state.broken ? <Broken /> : this.props.children;
  }
}

function Broken() {
  const t = useTranslations("common");
  return (
    <main>
      <EmptyState
        icon="alert"
        text={t("crashed")}
        action={t("reload")}
        onAction={async () => (await isServerReachable()) && location.reload()}
      />
    </main>
  );
}
