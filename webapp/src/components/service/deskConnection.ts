export type LinkState = "connecting" | "here" | "away" | "reconnecting" | "offline";

export interface Desk {
  /** What opens or resumes the conversation. */
  readonly hello: () => ToDesk;
  /** Messages to send, again after a reconnect, until the desk acknowledges them. */
  readonly unsent: () => readonly ToDesk[];
  readonly onLink: (state: LinkState) => void;
  readonly onFrame: (frame: FromDesk) => void;
}

export interface Connection {
  /** Sends now if connected; otherwise `unsent` is sent on connecting. */
  readonly send: (message: ToDesk) => void;
  /** Tries now instead of waiting. */
  readonly retry: () => void;
  readonly close: () => void;
}

const WAITS_MS = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000];
const ANSWER_TIMEOUT_MS = 15_000;
const STEADY_MS = 10_000;

/** The backoff before an attempt, by the failures before it, with jitter. */
export function waitMs(failures: number, chance: number): number {
  const wait = WAITS_MS[Math.min(failures, WAITS_MS.length) - 1] ?? 0;
  return wait * (0.75 + chance / 2);
}

/** Keeps a web socket to the desk open until it is closed here. */
export function connectToDesk(address: string, desk: Desk): Connection {
  let socket: WebSocket | undefined;
  let listens = false;
  let failures = 0;
  let listensSince = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const after = (ms: number, act: () => void) => {
    clearTimeout(timer);
    timer = setTimeout(act, ms);
  };
  const expectAnswer = () => after(ANSWER_TIMEOUT_MS, fail);
  const drop = () => {
    const dropped = socket;
    socket = undefined;
    listens = false;
    clearTimeout(timer);
    dropped?.close();
  };
  const fail = () => {
    // A desk that keeps closing the connection is not retried every second.
    const wasSteady = listens && performance.now() - listensSince > STEADY_MS;
    drop();
    failures = wasSteady ? 1 : failures + 1;
    desk.onLink(navigator.onLine ? "reconnecting" : "offline");
    if (navigator.onLine) after(waitMs(failures, Math.random()), open);
  };
  const heard = (data: unknown) => {
    const frame = decodeFrame(data);
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
    socket?.send(encodeFrame(message));
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
    opened.onopen = () => opened === socket && opened.send(encodeFrame(desk.hello()));
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

/**
 * The messages between the app and the desk, as scripts/reference_desk/protocol.py describes them.
 */

const SUBPROTOCOL = "fairdraw.service.v1";
export const MAX_TEXT = 1_000;
const MAX_SHOWN = 4_000;
const MAX_ID = 40;
const MAX_FRAME = 64 * 1024;

export const REASONS = ["empty", "too_long", "too_fast"] as const;
export type Reason = (typeof REASONS)[number] | "other";

export type FromDesk =
  | { readonly type: "state"; readonly state: "here" | "away" }
  | { readonly type: "received"; readonly id: string }
  | { readonly type: "refused"; readonly id: string; readonly reason: Reason }
  | { readonly type: "message"; readonly id: string; readonly text: string };

export type ToDesk =
  | { type: "hello"; visit: string; language: string; after: string }
  | { type: "message"; id: string; text: string };

/** Encodes a frame as JSON. Replaces unpaired surrogates, which decoders reject. */
export const encodeFrame = (message: ToDesk): string =>
  JSON.stringify(message, (_, value) =>
    typeof value === "string" ? value.replace(/\p{Surrogate}/gu, "\ufffd") : value,
  );

/** Decodes a frame; undefined for an unknown or invalid one. */
export function decodeFrame(data: unknown): FromDesk | undefined {
  if (typeof data !== "string" || data.length > MAX_FRAME) return undefined;
  try {
    return read(JSON.parse(data));
  } catch {
    return undefined;
  }
}

function read(value: unknown): FromDesk | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { type, state, id, reason, text }: Record<string, unknown> = { ...value };
  if (type === "state") return state === "here" || state === "away" ? { type, state } : undefined;
  if (typeof id !== "string" || id === "" || id.length > MAX_ID) return undefined;
  if (type === "received") return { type, id };
  if (type === "refused") {
    return { type, id, reason: REASONS.find((known) => known === reason) ?? "other" };
  }
  if (type !== "message" || typeof text !== "string" || text.trim() === "") return undefined;
  return { type, id, text: shortened(text) };
}

function shortened(text: string): string {
  const characters = Array.from(text);
  return characters.length > MAX_SHOWN ? `${characters.slice(0, MAX_SHOWN).join("")}…` : text;
}
