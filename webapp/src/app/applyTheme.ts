import { currentLocale } from "../i18n/locale.ts";
import { tagOf } from "../lib/locales.ts";
import { activeTheme, useSettings } from "../lib/settings.ts";

/** Keeps the document's language, theme and red/green direction in sync with the settings. */
export function applyTheme(): void {
  const light = matchMedia("(prefers-color-scheme: light)");
  const paint = () => {
    const { theme, redIsUp } = useSettings.getState();
    const root = document.documentElement;
    root.lang = tagOf(currentLocale());
    root.dataset.theme = activeTheme(theme, light.matches);
    root.dataset.redUp = String(redIsUp);
    const ground = getComputedStyle(root).getPropertyValue("--ground");
    document.querySelector('meta[name="theme-color"]')?.setAttribute("content", ground);
  };
  paint();
  useSettings.subscribe(paint);
  light.addEventListener("change", paint);
}
