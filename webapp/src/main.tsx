import { StrictMode, startTransition } from "react";
import { createRoot } from "react-dom/client";
import "./components/tokens.css";
import "./components/base.css";
import { askAhead, newQueryClient } from "./api/queries.ts";
import { App } from "./app/App.tsx";
import { preloadPath } from "./app/pages.ts";
import { paintSettings } from "./app/paint.ts";
import { loadFirstTexts } from "./i18n/texts.ts";
import { watchPresence } from "./lib/presence.ts";
import { watchStyleSheets } from "./lib/styleSheets.ts";

paintSettings();
watchStyleSheets();
watchPresence();
const queries = newQueryClient();
askAhead(queries);
const page = preloadPath(location.pathname);
const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root");
// Rendered once it can be shown as a whole: what index.html paints stands until then.
await Promise.all([loadFirstTexts(), page]);
// As a transition it is done in small pieces, between which a slow phone answers a finger.
startTransition(() =>
  createRoot(root).render(
    <StrictMode>
      <App queries={queries} />
    </StrictMode>,
  ),
);
