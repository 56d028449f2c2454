/**
 * Begins to load the page and its language while the libraries, ten times as much, are still on
 * their way: it needs none of them, and stands in index.html before them.
 */
import { loaders, pageAt } from "./app/pageChunks.ts";
import { FIRST } from "./i18n/firstTexts.ts";
import { localeOf } from "./i18n/spoken.ts";
import { storedSettings } from "./lib/storedSettings.ts";

const page = pageAt(location.pathname);
const ahead = [FIRST[localeOf(storedSettings().locale)], ...(page ? [loaders[page]] : [])];
// Whatever fails here is asked for again, and told, by who needs it.
for (const load of ahead) load().catch(() => undefined);
