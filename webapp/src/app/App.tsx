import { type QueryClient, QueryClientProvider, useQueryClient } from "@tanstack/react-query";
import { lazy, useEffect, useEffectEvent } from "react";
import { BrowserRouter } from "react-router";
import { Toaster } from "../components/Toaster.tsx";
import { useErrorToast } from "../components/useErrorText.ts";
import { WhenIdle } from "../components/WhenIdle.tsx";
import { I18n } from "../i18n/I18n.tsx";
import { loadPageTexts } from "../i18n/texts.ts";
import { loadWithRetry } from "../lib/lazyWithRetry.ts";
import { useLinesDiffer } from "../lib/lines.ts";
import { ErrorBoundary } from "./ErrorBoundary.tsx";
import { AppRoutes } from "./routes.tsx";
import { StartOverlay } from "./StartOverlay.tsx";
import { WeakNetwork } from "./WeakNetwork.tsx";

/** Loaded before they are needed, because the line may be down by then; retried after a failure. */
const LineOffer = lazy(() => loadWithRetry(withPageTexts));
const StepUp = lazy(() => loadWithRetry(() => import("../components/StepUp.tsx")));
const Reminder = lazy(() => loadWithRetry(() => import("./VisitTimer.tsx")));

async function withPageTexts() {
  const [offer] = await Promise.all([import("./LineOffer.tsx"), loadPageTexts()]);
  return offer;
}

function Lines() {
  return (
    useLinesDiffer() && (
      <WhenIdle>
        <LineOffer />
      </WhenIdle>
    )
  );
}

/** Everything around the pages. */
export function App({ queries }: { queries: QueryClient }) {
  return (
    <I18n>
      <QueryClientProvider client={queries}>
        <BrowserRouter basename={import.meta.env.BASE_URL}>
          <ErrorBoundary>
            <AppRoutes />
          </ErrorBoundary>
          <WhenIdle>
            <Reminder />
          </WhenIdle>
        </BrowserRouter>
        <QueryErrorToasts />
        <WhenIdle>
          <StepUp />
        </WhenIdle>
        <Lines />
        <WeakNetwork />
        <Toaster />
        <StartOverlay />
      </QueryClientProvider>
    </I18n>
  );
}

/** Shows the server's message when a query fails; the data shown before stays. */
function QueryErrorToasts() {
  const queries = useQueryClient();
  const fail = useEffectEvent(useErrorToast());
  useEffect(
    () =>
      queries.getQueryCache().subscribe((event) => {
        if (event.type === "updated" && event.action.type === "error") fail(event.action.error);
      }),
    [queries],
  );
  return null;
}
