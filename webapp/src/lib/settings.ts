import { create } from "zustand";
import { SETTINGS_KEY, type Settings, storedSettings } from "./storedSettings.ts";

export * from "./storedSettings.ts";

export const useSettings = create<Settings>()(storedSettings);

export function changeSettings(change: Partial<Settings>): void {
  useSettings.setState(change);
  localStorage.setItem(SETTINGS_KEY, JSON.stringify(useSettings.getState()));
}
