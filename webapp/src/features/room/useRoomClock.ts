import { useEffect, useState } from "react";
import { msLeft } from "./countdown.ts";
import type { Phase } from "./phase.ts";
import { phaseNow, roomTime, useRoom } from "./roomStore.ts";
import { serverNow } from "./serverClock.ts";

const TICK_MS = 200;

export interface Countdown {
  readonly phase: Phase;
  /** To the close, or to the draw once closed. */
  readonly leftMs: number;
}

function readCountdown(): Countdown {
  const phase = phaseNow();
  return { phase, leftMs: msLeft(useRoom.getState().heart?.issue ?? null, phase, roomTime()) };
}

/** A value read again at every tick and whenever the room changes; renders only when it differs. */
function useTicking<Value extends string | number>(read: () => Value): Value {
  const [value, setValue] = useState(read);
  useEffect(() => {
    const again = () => setValue(read());
    again();
    const timer = setInterval(again, TICK_MS);
    const stop = useRoom.subscribe(again);
    return () => {
      clearInterval(timer);
      stop();
    };
  }, [read]);
  return value;
}

export const usePhase = (): Phase => useTicking(phaseNow);

const secondsLeft = () => Math.ceil(readCountdown().leftMs / 1000);

/** Whole seconds to the close or the draw, by the server's clock. */
export const useSecondsLeft = (): number => useTicking(secondsLeft);

const STALE_MS = 5_000;

function staleSince(): number {
  const { link, heardMs, clock } = useRoom.getState();
  if (link !== "silent" || heardMs === null || Date.now() - heardMs < STALE_MS) return 0;
  return Math.floor(serverNow(clock, heardMs) / 1000);
}

/** The server's time, in seconds, of the data shown, once the connection is stale; else 0. */
export const useStaleSince = (): number => useTicking(staleSince);
