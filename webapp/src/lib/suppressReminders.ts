import { useEffect } from "react";
import { create } from "zustand";

/** Whether a draw is being shown, over which nothing may come that can wait. */
export const useRemindersSuppressed = create<{ quiet: boolean }>()(() => ({ quiet: false }));

/** Keeps reminders back for as long as the caller says, at most while it is shown. */
export function useSuppressReminders(quiet: boolean): void {
  useEffect(() => {
    useRemindersSuppressed.setState({ quiet });
    return () => useRemindersSuppressed.setState({ quiet: false });
  }, [quiet]);
}
