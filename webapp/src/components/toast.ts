import { create } from "zustand";

export type ToastKind = "plain" | "good" | "bad" | "busy";

export interface ToastMessage {
  id: number;
  text: string;
  kind: ToastKind;
  /** How long it is shown, in ms. */
  ms: number;
}

export const useToast = create<{ shown: ToastMessage | null }>()(() => ({ shown: null }));

let shownSoFar = 0;

/** One at a time, at the bottom; a new one replaces the old. `ms` defaults by the text's length. */
export function toast(text: string, kind: ToastKind = "plain", ms = 2000 + text.length * 40): void {
  shownSoFar += 1;
  useToast.setState({ shown: { id: shownSoFar, text, kind, ms } });
}

/** Takes a text back that is no longer so; any other stays. */
export function dismissToastText(text: string): void {
  useToast.setState(({ shown }) => (shown?.text === text ? { shown: null } : { shown }));
}

export function dismissToast(id: number): void {
  useToast.setState(({ shown }) => (shown?.id === id ? { shown: null } : { shown }));
}
