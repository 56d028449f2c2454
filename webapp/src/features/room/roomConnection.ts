/**
 * A room's connection to the server: the event stream while it is open, a heartbeat every
 * two seconds while it is not, and one heartbeat whenever the page becomes visible
 * or an open stream has been silent for long.
 *
 * A dropped stream is resumed by the browser itself, with Last-Event-ID. One that the
 * server refused is closed permanently by the browser, so it is opened again here.
 *
 * The stream authenticates by a cookie, which is not sent to a line of another site, and which a
 * line has only after a login over it. Without the cookie the stream is a public
 * one without balance and wins: then the room polls, with the token, and closes the stream.
 */

import type {
  Balance,
  BetMessage,
  ChatMessage,
  Draw,
  Heart,
  RoundResult,
} from "../../api/types.ts";
import type { Link } from "./roomReducer.ts";

export const POLL_MS = 2_000;
export const SILENCE_MS = 15_000;
export const REOPEN_MS = 10_000;

export interface StreamHandlers {
  /**
   * `restarted`: its lists are complete and replace the state, because earlier events may be
   * missing.
   */
  heart(heart: Heart, restarted: boolean): void;
  bet(bet: BetMessage): void;
  recall(ids: string[]): void;
  draw(draw: Draw): void;
  chat(line: ChatMessage): void;
  chatRemoved(ids: string[]): void;
  balance(balance: Balance): void;
  result(result: RoundResult): void;
  link(link: Link): void;
}

/** The connection's dependencies, which tests replace. */
export interface ConnectionDeps {
  openStream(): EventSource;
  /** One heartbeat; rejects when none came. */
  poll(signal: AbortSignal): Promise<Heart>;
  isVisible(): boolean;
  onVisible(react: () => void): () => void;
}

/** Opens the connection; returns the function that closes it. */
export function connect(world: ConnectionDeps, listener: StreamHandlers): () => void {
  const connection = new Connection(world, listener);
  return () => connection.end();
}

/** Values of EventSource.readyState, which test doubles lack. */
const OPEN = 1;
const CLOSED = 2;

class Connection {
  private readonly world: ConnectionDeps;
  private readonly listener: StreamHandlers;
  private readonly ended = new AbortController();
  private readonly stopWatching: () => void;
  private stream: EventSource | null = null;
  private heardAt = Number.NEGATIVE_INFINITY;
  private polling = false;
  private isPublic = false;
  private ticking: ReturnType<typeof setTimeout> | undefined;
  private reopening: ReturnType<typeof setTimeout> | undefined;

  constructor(world: ConnectionDeps, listener: StreamHandlers) {
    this.world = world;
    this.listener = listener;
    this.stopWatching = world.onVisible(() => {
      void this.poll();
      if (!this.isPublic && this.stream?.readyState === CLOSED) this.open();
    });
    this.open();
    void this.poll();
    this.ticking = setTimeout(() => this.tick(), POLL_MS);
  }

  end(): void {
    this.ended.abort();
    clearTimeout(this.ticking);
    clearTimeout(this.reopening);
    this.stopWatching();
    this.stream?.close();
  }

  private isLive(): boolean {
    return this.stream?.readyState === OPEN;
  }

  private open(): void {
    const opened = this.world.openStream();
    this.stream?.close();
    this.stream = opened;
    const heart = (received: Heart, restarted: boolean) => {
      this.listener.heart(received, restarted);
      if (received.user_quantity === null) this.leave(opened);
    };
    subscribe(opened, { ...this.listener, heart }, () => {
      this.heardAt = Date.now();
      this.listener.link("live");
    });
    opened.onerror = () => this.dropped(opened);
  }

  private leave(publicOne: EventSource): void {
    this.isPublic = true;
    publicOne.close();
    void this.poll();
  }

  private dropped(which: EventSource): void {
    if (which !== this.stream || this.ended.signal.aborted) return;
    this.listener.link("silent");
    void this.poll();
    if (which.readyState !== CLOSED) return;
    clearTimeout(this.reopening);
    this.reopening = setTimeout(() => this.open(), REOPEN_MS);
  }

  private async poll(): Promise<void> {
    if (this.polling) return;
    this.polling = true;
    const { signal } = this.ended;
    try {
      const heart = await this.world.poll(signal);
      if (signal.aborted) return;
      this.listener.heart(heart, false);
      this.listener.link(this.isLive() ? "live" : "polling");
    } catch {
      if (!signal.aborted && !this.isLive()) this.listener.link("silent");
    } finally {
      this.polling = false;
    }
  }

  private tick(): void {
    this.ticking = setTimeout(() => this.tick(), POLL_MS);
    const isRecent = this.isLive() && Date.now() - this.heardAt < SILENCE_MS;
    if (isRecent || !this.world.isVisible()) return;
    if (this.isLive()) this.heardAt = Date.now();
    void this.poll();
  }
}

/** Passes each event to its handler; ignores what is not JSON. */
function subscribe(stream: EventSource, listener: StreamHandlers, received: () => void): void {
  const on = <Data>(name: string, handle: (data: Data) => void) =>
    stream.addEventListener(name, (event) => {
      received();
      try {
        handle(JSON.parse((event as MessageEvent<string>).data) as Data);
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
      }
    });
  // The first event says whether the stream resumes where it was interrupted.
  let begun = false;
  stream.onopen = () => {
    begun = false;
    received();
  };
  on("resumed", () => {
    begun = true;
  });
  on<Heart>("heart", (heart) => {
    listener.heart(heart, !begun);
    begun = true;
  });
  on<BetMessage>("bet", listener.bet);
  on<{ ids: string[] }>("recall", ({ ids }) => listener.recall(ids));
  on<Draw>("draw", listener.draw);
  on<ChatMessage>("chat", listener.chat);
  on<{ ids: string[] }>("chat_removed", ({ ids }) => listener.chatRemoved(ids));
  on<Balance>("balance", listener.balance);
  on<RoundResult>("win", listener.result);
}
