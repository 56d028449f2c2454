/** Settings as the device stores them; read before the libraries are loaded. */

import type { LocaleChoice } from "./locales.ts";

export type Theme = "dark" | "light" | "system";

/** Line 1 or line 2, as the session's activeList has it. */
export type Line = 0 | 1;

/** The origins of both lines from the last configuration; "" is the address of the page. */
export type Lines = readonly [string, string];

/** Settings of the device, independent of the player. */
export interface Settings {
  locale: LocaleChoice;
  theme: Theme;
  /** East Asia reads red as a rise; sign and word say it in any case. */
  redIsUp: boolean;
  /** Feel a win, where the phone can vibrate. */
  vibration: boolean;
  /** Hear a win. */
  sound: boolean;
  /** The line chosen last, with which the app starts. */
  line: Line;
  lines: Lines;
}

export const SETTINGS_KEY = "fairdraw.settings";

export function initialSettings(): Settings {
  return {
    locale: "system",
    theme: "dark",
    redIsUp: false,
    vibration: false,
    sound: false,
    line: 0,
    lines: ["", ""],
  };
}

export function parseSettings(text: string | null): Settings {
  try {
    const stored: unknown = JSON.parse(text ?? "null");
    if (typeof stored !== "object" || stored === null) return initialSettings();
    const settings = { ...initialSettings(), ...stored };
    return areLines(settings.lines) ? settings : { ...settings, lines: ["", ""] };
  } catch {
    return initialSettings();
  }
}

function areLines(stored: unknown): boolean {
  return (
    Array.isArray(stored) && stored.length === 2 && stored.every((one) => typeof one === "string")
  );
}

/** The theme to paint: dark unless the phone asks for light and the player follows it. */
export function activeTheme(theme: Theme, phoneIsLight: boolean): "dark" | "light" {
  if (theme === "system") return phoneIsLight ? "light" : "dark";
  return theme;
}

/** The settings of this device; where nothing can be stored, those of a new one. */
export function storedSettings(): Settings {
  if (typeof localStorage === "undefined") return initialSettings();
  return parseSettings(localStorage.getItem(SETTINGS_KEY));
}
