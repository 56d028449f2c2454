/**
 * A room's line to the server: the event stream while it stands, the heartbeat every
 * two seconds while it does not, and one heartbeat whenever the page is looked at
 * again or a standing stream has been silent for long.
 *
 * A dropped stream is resumed by the browser itself, with Last-Event-ID. One that the
 * server refused is closed for good by the browser, so it is opened anew from here.
 */

import type { Balance, BetMessage, Draw, Heart } from "../../../api/types.ts";
import type { Link } from "../model/room.ts";
import type { RoundResult } from "../model/wire.ts";

export const POLL_MS = 2_000;
export const SILENCE_MS = 15_000;
export const REOPEN_MS = 10_000;

export interface Listener {
  heart(heart: Heart): void;
  bet(bet: BetMessage): void;
  recall(ids: string[]): void;
  draw(draw: Draw): void;
  balance(balance: Balance): void;
  result(result: RoundResult): void;
  link(link: Link): void;
}

/** What the connection needs of the world; tests give their own. */
export interface World {
  openStream(): EventSource;
  /** One heartbeat; rejects when none came. */
  poll(signal: AbortSignal): Promise<Heart>;
  isVisible(): boolean;
  onVisible(react: () => void): () => void;
}

export function connect(world: World, listener: Listener): () => void {
  const ended = new AbortController();
  let stream: EventSource | null = null;
  let heardAt = Number.NEGATIVE_INFINITY;
  let polling = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let reopening: ReturnType<typeof setTimeout> | undefined;

  const isLive = () => stream?.readyState === 1;

  function open(): void {
    const opened = world.openStream();
    stream?.close();
    stream = opened;
    subscribe(opened, listener, () => {
      heardAt = Date.now();
      listener.link("live");
    });
    opened.onerror = () => dropped(opened);
  }

  function dropped(which: EventSource): void {
    if (which !== stream || ended.signal.aborted) return;
    heardAt = Number.NEGATIVE_INFINITY;
    listener.link("silent");
    void poll();
    if (which.readyState !== 2) return;
    clearTimeout(reopening);
    reopening = setTimeout(open, REOPEN_MS);
  }

  async function poll(): Promise<void> {
    if (polling) return;
    polling = true;
    try {
      const heart = await world.poll(ended.signal);
      if (ended.signal.aborted) return;
      listener.heart(heart);
      listener.link(isLive() ? "live" : "polling");
    } catch {
      if (!ended.signal.aborted && !isLive()) listener.link("silent");
    } finally {
      polling = false;
    }
  }

  function tick(): void {
    timer = setTimeout(tick, POLL_MS);
    const fresh = isLive() && Date.now() - heardAt < SILENCE_MS;
    if (fresh || !world.isVisible()) return;
    if (isLive()) heardAt = Date.now();
    void poll();
  }

  const stopWatching = world.onVisible(() => {
    void poll();
    if (stream?.readyState === 2) open();
  });
  open();
  void poll();
  timer = setTimeout(tick, POLL_MS);
  return () => {
    ended.abort();
    clearTimeout(timer);
    clearTimeout(reopening);
    stopWatching();
    stream?.close();
  };
}

/** Hands each event to its handler; what is not JSON is left out. */
function subscribe(stream: EventSource, listener: Listener, heard: () => void): void {
  const on = <Data>(name: string, handle: (data: Data) => void) =>
    stream.addEventListener(name, (event) => {
      heard();
      try {
        handle(JSON.parse((event as MessageEvent<string>).data) as Data);
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
      }
    });
  stream.onopen = heard;
  on<Heart>("heart", listener.heart);
  on<BetMessage>("bet", listener.bet);
  on<{ ids: string[] }>("recall", ({ ids }) => listener.recall(ids));
  on<Draw>("draw", listener.draw);
  on<Balance>("balance", listener.balance);
  on<RoundResult>("win", listener.result);
}
