import { useSyncExternalStore } from "react";
import { create } from "zustand";
import type { Line } from "./settings.ts";

/** One call that is being repeated. */
export interface RetriedCall {
  attempt: number;
  cancel: () => void;
}

interface Network {
  /** Calls past their first attempt, by call number: the network is weak while there are any. */
  retrying: Record<number, RetriedCall>;
  /** When the server last answered anything, in ms since 1970; null before it has. */
  answeredAt: number | null;
  /** A line that did not answer; `waved` once the player dismissed the offer of the other. */
  silent: { line: Line; waved: boolean } | null;
}

export const useNetwork = create<Network>()(() => ({
  retrying: {},
  answeredAt: null,
  silent: null,
}));

export function recordAnswer(now: number): void {
  useNetwork.setState({ answeredAt: now, silent: null });
}

/**
 * Records that a call begun at `since` failed: its line is silent if it answered no other call
 * since.
 */
export function recordUnanswered(line: Line, since: number): void {
  useNetwork.setState(({ answeredAt, silent }) =>
    (answeredAt ?? 0) >= since || silent?.line === line ? {} : { silent: { line, waved: false } },
  );
}

export function dismissLineOffer(): void {
  useNetwork.setState(({ silent }) => ({ silent: silent && { ...silent, waved: true } }));
}

export function startRetry(call: number, weak: RetriedCall): void {
  useNetwork.setState(({ retrying: others }) => ({ retrying: { ...others, [call]: weak } }));
}

export function endRetry(call: number): void {
  useNetwork.setState(({ retrying: weak }) => {
    if (!(call in weak)) return { retrying: weak };
    const { [call]: _done, ...others } = weak;
    return { retrying: others };
  });
}

/** Whether the server of this page responds: reloading without it would lose the app. */
export const isServerReachable = (): Promise<boolean> =>
  fetch(import.meta.env.BASE_URL, { method: "HEAD" }).then(
    () => true,
    () => false,
  );

function watchConnection(changed: () => void): () => void {
  addEventListener("online", changed);
  addEventListener("offline", changed);
  return () => {
    removeEventListener("online", changed);
    removeEventListener("offline", changed);
  };
}

/** Whether the browser reports a network. */
export const useOnline = (): boolean =>
  useSyncExternalStore(watchConnection, () => navigator.onLine);
