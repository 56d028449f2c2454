import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { lazy } from "react";
import { BrowserRouter } from "react-router";
import { Toaster } from "../components/Toaster.tsx";
import { WhenIdle } from "../components/WhenIdle.tsx";
import { I18n } from "../i18n/I18n.tsx";
import { loadLaterTexts } from "../i18n/texts.ts";
import { useLinesDiffer } from "../lib/lines.ts";
import { ErrorBoundary } from "./ErrorBoundary.tsx";
import { QueryFailures } from "./QueryFailures.tsx";
import { AppRoutes } from "./routes.tsx";
import { StartOverlay } from "./StartOverlay.tsx";
import { WeakNetwork } from "./WeakNetwork.tsx";

/** Loaded before it is wanted: without the line that it speaks of it could not be later. */
const LineOffer = lazy(async () => {
  const [offer] = await Promise.all([import("./LineOffer.tsx"), loadLaterTexts()]);
  return offer;
});
const StepUp = lazy(() => import("../components/StepUp.tsx"));
/** Nobody waits for it: without its chunk the app goes on without reminders. */
const Reminder = lazy(() => import("./Reminder.tsx").catch(() => ({ default: () => null })));

function Lines() {
  return (
    useLinesDiffer() && (
      <WhenIdle>
        <LineOffer />
      </WhenIdle>
    )
  );
}

/** Everything that stands around the pages. */
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
        <QueryFailures />
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
