import { create } from "zustand";

/** "system" follows the phone. */
export type LocaleChoice = "system" | "en" | "zh" | "tw" | "vi" | "ru" | "my" | "ja" | "ko";
export type Theme = "dark" | "light" | "system";

/** What a device remembers whoever is signed in. */
export interface Settings {
  locale: LocaleChoice;
  theme: Theme;
  /** East Asia reads red as a rise; sign and word say it in any case. */
  redIsUp: boolean;
  /** Feel a win, where the phone can vibrate. */
  vibration: boolean;
  /** Hear the draw and a win. */
  sound: boolean;
}

const KEY = "fairdraw.settings";

export function initialSettings(): Settings {
  return { locale: "system", theme: "dark", redIsUp: false, vibration: false, sound: false };
}

export function parseSettings(text: string | null): Settings {
  try {
    const stored: unknown = JSON.parse(text ?? "null");
    if (typeof stored !== "object" || stored === null) return initialSettings();
    return { ...initialSettings(), ...stored };
  } catch {
    return initialSettings();
  }
}

/** The theme to paint: dark unless the phone asks for light and the member follows it. */
export function paintedTheme(theme: Theme, phoneIsLight: boolean): "dark" | "light" {
  if (theme === "system") return phoneIsLight ? "light" : "dark";
  return theme;
}

export const useSettings = create<Settings>()(() =>
  typeof localStorage === "undefined"
    ? initialSettings()
    : parseSettings(localStorage.getItem(KEY)),
);

export function changeSettings(change: Partial<Settings>): void {
  useSettings.setState(change);
  localStorage.setItem(KEY, JSON.stringify(useSettings.getState()));
}
