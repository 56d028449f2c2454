import { wireLanguage } from "../i18n/locale.ts";
import { lineAddress } from "../lib/lines.ts";
import { endRetry, recordAnswer, recordUnanswered, startRetry } from "../lib/network.ts";
import { signOut, useSession } from "../lib/session.ts";
import type { Calls, Envelope, Path } from "./types.ts";

export const TIMEOUT_MS = 7_000;
export const ATTEMPTS = 7;
export const PAUSE_MS = 2_000;
const SESSION_LOST = [50008, 50012, 50014];
const UNSIGNED: Path[] = ["user/login", "user/register"];
const READ_BY_GET: Path[] = ["index/index", "index/articleList", "Lottery/statistics"];
/** Sent once unless they have a key. A second login only opens a second session. */
const ONCE_WITHOUT_KEY: Path[] = ["user/register", "Lottery/playOrder", "Lottery/recall"];
const NAMED_WEAK_FROM = 2;

export interface CallOptions {
  /** Idempotency-Key: one per press, the same on every attempt. */
  key?: string;
  signal?: AbortSignal;
  onAttempt?: (attempt: number) => void;
}

let calls = 0;

/**
 * Calls the API. An attempt times out after 7 s; there are seven attempts, 2 s apart, but
 * only where repeating is harmless: all calls but those of ONCE_WITHOUT_KEY that have no key.
 * Rejects with CallError; a lost session is cleared and the page reloaded.
 * Each attempt uses the line that is chosen then: both lead to one server, which knows the key.
 */
export async function call<P extends Path>(
  path: P,
  body: Calls[P]["body"],
  options: CallOptions = {},
): Promise<Envelope<Calls[P]["data"]>> {
  const number = ++calls;
  const gaveUp = new AbortController();
  const signal = AbortSignal.any([gaveUp.signal, ...(options.signal ? [options.signal] : [])]);
  const since = Date.now();
  const begun = (attempt: number) => {
    options.onAttempt?.(attempt);
    if (attempt >= NAMED_WEAK_FROM) startRetry(number, { attempt, cancel: () => gaveUp.abort() });
  };
  if (options.key === undefined) await yieldToMain();
  try {
    return accepted(
      await repeated(() => ask<P>(path, body, options.key, signal), {
        attempts: options.key !== undefined || !ONCE_WITHOUT_KEY.includes(path) ? ATTEMPTS : 1,
        begun,
        signal,
      }),
    );
  } catch (error) {
    if (gaveUp.signal.aborted || reasonOf(error) === "no_network") {
      recordUnanswered(useSession.getState().activeList, since);
    }
    throw error;
  } finally {
    endRetry(number);
  }
}

interface Repetition {
  attempts: number;
  begun: (attempt: number) => void;
  signal: AbortSignal;
}

/** Repeats until the server answers, the attempts are used up, or the caller aborts. */
async function repeated<Data>(
  once: () => Promise<Answered<Data> | null>,
  { attempts, begun, signal }: Repetition,
): Promise<Envelope<Data>> {
  for (let attempt = 1; ; attempt++) {
    begun(attempt);
    const answer = await once();
    if (signal.aborted) throw unanswered("cancelled");
    if (answer !== null && !answer.busy) return answer.envelope;
    if (attempt === attempts)
      throw answer ? new CallError(answer.envelope) : unanswered("no_network");
    await pause(signal);
  }
}

interface Answered<Data> {
  envelope: Envelope<Data>;
  /** The server is temporarily unavailable (5xx): worth another attempt. */
  busy: boolean;
}

/** One attempt; null when the server did not answer. */
async function ask<P extends Path>(
  path: P,
  body: Calls[P]["body"],
  key: string | undefined,
  signal: AbortSignal,
): Promise<Answered<Calls[P]["data"]> | null> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), TIMEOUT_MS);
  try {
    const [url, init] = request(path, body, key);
    const response = await fetch(url, {
      ...init,
      signal: AbortSignal.any([signal, timeout.signal]),
    });
    const envelope = await response.json();
    recordAnswer(Date.now());
    return { envelope, busy: response.status >= 500 };
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The token is a header, which reaches any line. The stream's cookie, which a login sets, is sent
 * with `credentials`, and only to lines of the same site.
 */
function request(path: Path, body: object, key: string | undefined): [string, RequestInit] {
  const { token } = useSession.getState();
  const headers: Record<string, string> = { "Content-Type": "application/json" };
  if (token !== "" && !UNSIGNED.includes(path)) headers.token = token;
  if (key !== undefined) headers["Idempotency-Key"] = key;
  // A timer's call must not keep a session fresh for payments; a key means that the player pressed.
  else if (!isPresent()) headers.background = "1";
  const common = { host: location.host, lang: wireLanguage() };
  const url = `${lineAddress()}/api/${path}`;
  const init: RequestInit = { headers, credentials: "include" };
  if (READ_BY_GET.includes(path)) return [`${url}?${new URLSearchParams(common)}`, init];
  return [url, { ...init, method: "POST", body: JSON.stringify({ ...body, ...common }) }];
}

function accepted<Data>(envelope: Envelope<Data>): Envelope<Data> {
  if (envelope.code === 1 || envelope.code === 200) return envelope;
  if (SESSION_LOST.includes(envelope.code)) {
    signOut();
    location.reload();
  }
  throw new CallError(envelope);
}

/** Ends the session on the server. Sent once, with the current token, which is about to change. */
export function endSession(): void {
  if (useSession.getState().token === "") return;
  const [url, init] = request("user/logout", {}, undefined);
  fetch(url, { ...init, keepalive: true }).catch(() => undefined);
}

/** Waits two seconds; rejects when the caller aborts meanwhile. */
function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      clearTimeout(timer);
      reject(unanswered("cancelled"));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", giveUp);
      resolve();
    }, PAUSE_MS);
    signal.addEventListener("abort", giveUp, { once: true });
  });
}

/** Yields to paints and input events, in browsers that support it. */
async function yieldToMain(): Promise<void> {
  await globalThis.scheduler?.yield?.();
}

/** The error of a call: the server's envelope, or one made here when no answer came. */
export class CallError extends Error {
  readonly envelope: Envelope<unknown>;

  constructor(envelope: Envelope<unknown>) {
    super(typeof envelope.msg === "string" ? envelope.msg : (envelope.reason ?? ""));
    this.name = "CallError";
    this.envelope = envelope;
  }

  /** The refusal's name; ours are `no_network` and `cancelled`. */
  get reason(): string {
    return this.envelope.reason ?? "";
  }

  /** The refused field, by its name in the call; "" for none. */
  get field(): string {
    return this.envelope.field ?? "";
  }
}

export function unanswered(reason: "no_network" | "cancelled"): CallError {
  return new CallError({ code: -1, msg: "", time: 0, data: null, reason });
}

/** The refusal's name; empty for any error that is not a CallError. */
export function reasonOf(error: unknown): string {
  return error instanceof CallError ? error.reason : "";
}

/** How long after the last touch or key a call still counts as made by a person. */
export const PRESENT_MS = 10_000;

const SIGNS = ["pointerdown", "keydown"];

let lastSignAt = Number.NEGATIVE_INFINITY;

/** Notes that the person used the app; `now` is in ms of any clock that only goes forward. */
export function recordPresence(now: number = performance.now()): void {
  lastSignAt = now;
}

/** Whether the person used the app a moment ago, so that a call is more than a timer's. */
function isPresent(now: number = performance.now()): boolean {
  return now - lastSignAt <= PRESENT_MS;
}

/** Listens to touches and keys, before any handler can stop them. */
export function watchPresence(): void {
  const note = () => recordPresence();
  for (const sign of SIGNS) addEventListener(sign, note, { capture: true, passive: true });
}
