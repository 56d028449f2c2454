import { useEffect, useRef, useState } from "react";
import { CallError, call } from "../../../api/client.ts";
import { isUndecided, newKey } from "../../../api/idempotencyKey.ts";
import { useErrorToast } from "../../../components/useErrorText.ts";
import type { RoomId } from "../roomAddress.ts";
import { addOwnMessage } from "./chatReducer.ts";
import { changeChat, saveOwnIds } from "./chatStore.ts";

const TICK_MS = 250;

/**
 * When the player sent messages lately, on the phone's clock; the rate limit is for all halls
 * together.
 */
let sentAt: readonly number[] = [];

function recordSent(times: number): void {
  const now = Date.now();
  sentAt = recentlySent([...sentAt, ...Array<number>(times).fill(now)], now);
}

export interface SendMessage {
  readonly busy: boolean;
  /** Whole seconds until the player may write again; 0 when they may now. */
  readonly rest: number;
  /** Resolves to true once sent; a refusal was shown. */
  readonly say: (words: string) => Promise<boolean>;
}

/** Sends a message once: sending the same text again after no answer reuses the Idempotency-Key. */
export function useSendMessage({ planId, gameId }: RoomId, onMuted: () => void): SendMessage {
  const failed = useErrorToast();
  const [busy, setBusy] = useState(false);
  const [rest, ask] = useWait();
  const undecided = useRef({ words: "", key: "" });

  const send = async (words: string) => {
    const key = undecided.current.words === words ? undecided.current.key : newKey();
    undecided.current = { words, key };
    const body = { plan_id: planId, game_id: gameId, words };
    const { data } = await call("Lottery/say", body, { key });
    undecided.current = { words: "", key: "" };
    recordSent(1);
    changeChat((chat) => addOwnMessage(chat, data));
    saveOwnIds();
  };
  const refused = (error: unknown) => {
    const reason = error instanceof CallError ? error.reason : "";
    if (!isUndecided(reason)) undecided.current = { words: "", key: "" };
    if (reason === "rate_limited") recordSent(MAX_MESSAGES);
    if (reason === "muted") onMuted();
    failed(error);
  };
  const say = async (words: string) => {
    if (busy || secondsToWait(sentAt, Date.now()) > 0) return false;
    setBusy(true);
    try {
      await send(words);
      return true;
    } catch (error) {
      refused(error);
      return false;
    } finally {
      setBusy(false);
      ask();
    }
  };
  return { busy, rest, say };
}

/** Seconds to wait, counting down. */
function useWait(): [number, () => void] {
  const [rest, setRest] = useState(() => secondsToWait(sentAt, Date.now()));
  const ask = () => setRest(secondsToWait(sentAt, Date.now()));
  const resting = rest > 0;
  useEffect(() => {
    if (!resting) return;
    const timer = setInterval(() => setRest(secondsToWait(sentAt, Date.now())), TICK_MS);
    return () => clearInterval(timer);
  }, [resting]);
  return [rest, ask];
}

/** The server's limits of a message's length and of the rate of messages. */

export const MAX_LENGTH = 200;
/** From here on the length is shown. */
export const LENGTH_SHOWN_FROM = 120;
export const MAX_MESSAGES = 5;
export const WINDOW_MS = 10_000;

/** The times of messages within the window, oldest first, in ms. */
export function recentlySent(saidAt: readonly number[], now: number): readonly number[] {
  return saidAt.filter((at) => now - at < WINDOW_MS).slice(-MAX_MESSAGES);
}

/** Whole seconds until the player may write again; 0 when they may now. */
export function secondsToWait(saidAt: readonly number[], now: number): number {
  const counted = recentlySent(saidAt, now);
  const first = counted[0];
  if (first === undefined || counted.length < MAX_MESSAGES) return 0;
  return Math.ceil((first + WINDOW_MS - now) / 1000);
}
