import { type FromDesk, frameOf, fromDesk, SUBPROTOCOL, type ToDesk } from "./protocol.ts";

export type LinkState = "connecting" | "here" | "away" | "reconnecting" | "offline";

export interface Desk {
  /** What opens or resumes the conversation. */
  readonly hello: () => ToDesk;
  /** What is to be sent, again after a reconnect, until the desk acknowledges it. */
  readonly unsent: () => readonly ToDesk[];
  readonly onLink: (state: LinkState) => void;
  readonly onFrame: (frame: FromDesk) => void;
}

export interface Connection {
  /** Sends now if the desk listens; otherwise it is sent with `unsent` once it does. */
  readonly send: (message: ToDesk) => void;
  /** Tries now instead of waiting. */
  readonly retry: () => void;
  readonly close: () => void;
}

const WAITS_MS = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000];
const ANSWERS_WITHIN_MS = 15_000;
const STEADY_MS = 10_000;

/** The wait before an attempt, by the failures before it; spread, so that not all come at once. */
export function waitMs(failures: number, chance: number): number {
  const wait = WAITS_MS[Math.min(failures, WAITS_MS.length) - 1] ?? 0;
  return wait * (0.75 + chance / 2);
}

/** Keeps a web socket to the desk open until it is closed here. */
export function connected(address: string, desk: Desk): Connection {
  let socket: WebSocket | undefined;
  let listens = false;
  let failures = 0;
  let listensSince = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const after = (ms: number, act: () => void) => {
    clearTimeout(timer);
    timer = setTimeout(act, ms);
  };
  const expectAnswer = () => after(ANSWERS_WITHIN_MS, fail);
  const drop = () => {
    const dropped = socket;
    socket = undefined;
    listens = false;
    clearTimeout(timer);
    dropped?.close();
  };
  const fail = () => {
    // A desk that ends the connection over and over is not asked every second.
    const wasSteady = listens && performance.now() - listensSince > STEADY_MS;
    drop();
    failures = wasSteady ? 1 : failures + 1;
    desk.onLink(navigator.onLine ? "reconnecting" : "offline");
    if (navigator.onLine) after(waitMs(failures, Math.random()), open);
  };
  const heard = (data: unknown) => {
    const frame = fromDesk(data);
    if (frame === undefined) return;
    desk.onFrame(frame);
    if (frame.type === "state") {
      if (!listens) begin();
      desk.onLink(frame.state);
    }
    if (desk.unsent().length === 0) clearTimeout(timer);
  };
  const begin = () => {
    listens = true;
    listensSince = performance.now();
    for (const message of desk.unsent()) transmit(message);
  };
  const transmit = (message: ToDesk) => {
    socket?.send(frameOf(message));
    expectAnswer();
  };
  const open = () => {
    drop();
    if (!navigator.onLine) return desk.onLink("offline");
    desk.onLink(failures === 0 ? "connecting" : "reconnecting");
    try {
      listenTo(new WebSocket(address, SUBPROTOCOL));
    } catch {
      fail(); // the browser refuses the address
    }
  };
  const listenTo = (opened: WebSocket) => {
    socket = opened;
    expectAnswer();
    opened.onopen = () => opened === socket && opened.send(frameOf(desk.hello()));
    opened.onmessage = ({ data }) => opened === socket && heard(data);
    opened.onclose = () => opened === socket && fail();
  };
  const wake = () => {
    if (document.visibilityState === "visible" && !listens) open();
  };
  addEventListener("online", open);
  addEventListener("offline", fail);
  document.addEventListener("visibilitychange", wake);
  open();
  return {
    send: (message) => listens && transmit(message),
    retry: open,
    close: () => {
      removeEventListener("online", open);
      removeEventListener("offline", fail);
      document.removeEventListener("visibilitychange", wake);
      drop();
    },
  };
}
