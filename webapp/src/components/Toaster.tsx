import { useEffect, useRef } from "react";
import { create } from "zustand";
import { useNetwork } from "../lib/network.ts";
import { Icon } from "./Icon.tsx";
import styles from "./Toaster.module.css";

type ToastKind = "plain" | "good" | "bad" | "busy";

interface ToastMessage {
  id: number;
  text: string;
  kind: ToastKind;
  /** How long it is shown, in ms. */
  ms: number;
}

const useToast = create<{ shown: ToastMessage | null }>()(() => ({ shown: null }));

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

function dismissToast(id: number): void {
  useToast.setState(({ shown }) => (shown?.id === id ? { shown: null } : { shown }));
}

const GAP_PX = 8;

/** Moves the toast above the focused element if it would cover that. */
function avoidFocusedElement(element: HTMLElement): void {
  element.style.bottom = "";
  const used = document.activeElement;
  if (!used?.matches("button, input")) return;
  const own = element.getBoundingClientRect();
  const { top, bottom } = used.getBoundingClientRect();
  if (top < own.bottom && bottom > own.top)
    element.style.bottom = `${innerHeight - top + GAP_PX}px`;
}

/** Repeats that whenever the focused element moves. Returns the function that stops it. */
function trackFocusedElement(element: HTMLElement): () => void {
  let place: number | undefined;
  let frame = 0;
  const look = () => {
    const now = document.activeElement?.getBoundingClientRect().top;
    if (now !== place) avoidFocusedElement(element);
    place = now;
    frame = requestAnimationFrame(look);
  };
  look();
  return () => cancelAnimationFrame(frame);
}

/** A popover, reopened for each message so that it is above open dialogs. */
export function Toaster() {
  const shown = useToast((state) => state.shown);
  const weak = useNetwork((state) => Object.keys(state.retrying).length > 0);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (element?.matches(":popover-open")) element.hidePopover();
    if (shown === null) return;
    element?.showPopover();
    const leave = element ? trackFocusedElement(element) : undefined;
    const timer = setTimeout(() => dismissToast(shown.id), shown.ms);
    return () => {
      clearTimeout(timer);
      leave?.();
    };
  }, [shown]);
  return (
    <div
      ref={box}
      popover="manual"
      className={styles.toast}
      data-kind={shown?.kind}
      data-raised={weak}
      role="status"
    >
      {shown?.kind === "busy" && <span className={styles.spin} aria-hidden="true" />}
      {shown?.kind === "good" && <Icon name="check" size={18} />}
      {shown?.kind === "bad" && <Icon name="alert" size={18} />}
      <span>{shown?.text}</span>
    </div>
  );
}
