/**
 * Begins to load the page and its language while the libraries, ten times as much, are still on
 * their way. It needs none of them, and index.html loads it before them.
 */
import { loaders, pageAt } from "./app/pageChunks.ts";
import { importCoreTexts } from "./i18n/textChunks.ts";
import { localeOf } from "./lib/locales.ts";
import { storedSettings } from "./lib/storedSettings.ts";

const page = pageAt(location.pathname);
// A failure is reported by the code that needs the chunk and loads it again.
importCoreTexts(localeOf(storedSettings().locale))?.catch(() => undefined);
if (page !== undefined) loaders[page]().catch(() => undefined);
