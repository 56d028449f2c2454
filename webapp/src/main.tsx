import { StrictMode, startTransition } from "react";
import { createRoot } from "react-dom/client";
import "./components/tokens.css";
import "./components/base.css";
import { watchPresence } from "./api/client.ts";
import { newQueryClient, prefetchCommon } from "./api/commonQueries.ts";
import { App } from "./app/App.tsx";
import { applyTheme } from "./app/applyTheme.ts";
import { preloadPath } from "./app/lazyPages.ts";
import { loadCoreTexts } from "./i18n/texts.ts";
import { watchStyleSheets } from "./lib/lazyWithRetry.ts";

applyTheme();
watchStyleSheets();
watchPresence();
const queries = newQueryClient();
prefetchCommon(queries);
const page = preloadPath(location.pathname);
const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root");
// Rendered once it is complete: index.html stays visible until then.
await Promise.all([loadCoreTexts(), page]);
// A transition renders in small pieces, between which a slow phone handles input.
startTransition(() =>
  createRoot(root).render(
    <StrictMode>
      <App queries={queries} />
    </StrictMode>,
  ),
);
