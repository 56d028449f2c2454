import { useEffect, useRef, useState } from "react";
import { call } from "../../../api/client.ts";
import { CallError } from "../../../api/errors.ts";
import { isUndecided, newKey } from "../../../api/idempotencyKey.ts";
import { useFailureToast } from "../../../components/useErrorText.ts";
import type { RoomId } from "../roomAddress.ts";
import { saidHere } from "./chatReducer.ts";
import { changeChat, rememberOwn } from "./chatStore.ts";

const TICK_MS = 250;

/** When the member said something of late, on the phone's clock; the pace is of all halls. */
let saidAt: readonly number[] = [];

function noteSaid(times: number): void {
  const now = Date.now();
  saidAt = recent([...saidAt, ...Array<number>(times).fill(now)], now);
}

export interface Saying {
  readonly busy: boolean;
  /** Whole seconds until one may speak again; 0 when one may now. */
  readonly rest: number;
  /** True once it stands in the chat; whatever was refused has been told. */
  readonly say: (words: string) => Promise<boolean>;
}

/** Says something once; the same words again, while no answer came, ask for that answer. */
export function useSaying({ planId, gameId }: RoomId, onMuted: () => void): Saying {
  const failed = useFailureToast();
  const [busy, setBusy] = useState(false);
  const [rest, ask] = useRest();
  const undecided = useRef({ words: "", key: "" });

  const send = async (words: string) => {
    const key = undecided.current.words === words ? undecided.current.key : newKey();
    undecided.current = { words, key };
    const body = { plan_id: planId, game_id: gameId, words };
    const { data } = await call("Lottery/say", body, { key });
    undecided.current = { words: "", key: "" };
    noteSaid(1);
    changeChat((chat) => saidHere(chat, data));
    rememberOwn();
  };
  const refused = (error: unknown) => {
    const reason = error instanceof CallError ? error.reason : "";
    if (!isUndecided(reason)) undecided.current = { words: "", key: "" };
    if (reason === "rate_limited") noteSaid(MOST);
    if (reason === "muted") onMuted();
    failed(error);
  };
  const say = async (words: string) => {
    if (busy || restSeconds(saidAt, Date.now()) > 0) return false;
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

/** How long to rest, counted down once it was asked for. */
function useRest(): [number, () => void] {
  const [rest, setRest] = useState(() => restSeconds(saidAt, Date.now()));
  const ask = () => setRest(restSeconds(saidAt, Date.now()));
  const resting = rest > 0;
  useEffect(() => {
    if (!resting) return;
    const timer = setInterval(() => setRest(restSeconds(saidAt, Date.now())), TICK_MS);
    return () => clearInterval(timer);
  }, [resting]);
  return [rest, ask];
}

/** How long a message may be and how fast one may speak: as the house counts it. */

export const LONGEST = 200;
/** From here on the length is shown. */
export const LENGTH_SHOWN_FROM = 120;
export const MOST = 5;
export const WITHIN_MS = 10_000;

/** When something was said within the span that counts, oldest first, in ms. */
export function recent(saidAt: readonly number[], now: number): readonly number[] {
  return saidAt.filter((at) => now - at < WITHIN_MS).slice(-MOST);
}

/** Whole seconds until one may speak again; 0 when one may now. */
export function restSeconds(saidAt: readonly number[], now: number): number {
  const counted = recent(saidAt, now);
  const first = counted[0];
  if (first === undefined || counted.length < MOST) return 0;
  return Math.ceil((first + WITHIN_MS - now) / 1000);
}
