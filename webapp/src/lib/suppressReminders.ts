import { useEffect } from "react";
import { create } from "zustand";

/** Whether a draw is on the screen, which no reminder may cover. */
export const useRemindersSuppressed = create<{ quiet: boolean }>()(() => ({ quiet: false }));

/** Suppresses reminders while `quiet` and the caller is mounted. */
export function useSuppressReminders(quiet: boolean): void {
  useEffect(() => {
    useRemindersSuppressed.setState({ quiet });
    return () => useRemindersSuppressed.setState({ quiet: false });
  }, [quiet]);
}
