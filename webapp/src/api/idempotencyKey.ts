import { useRef } from "react";
import { CallError } from "./client.ts";

/**
 * A fresh Idempotency-Key of 128 bits. crypto.randomUUID is missing on plain-http addresses of a
 * local network, getRandomValues is not.
 */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Errors after which the server may still carry out the call: the same key requests its result. */
const UNDECIDED: ReadonlySet<string> = new Set([
  "no_network",
  "cancelled",
  "outcome_unknown",
  "engine_busy",
  "unavailable",
  "deadline_passed",
  "rate_limited",
  "internal_error",
]);

/** Whether it is unknown after this refusal if the server carried the call out. */
export function isUndecided(reason: string): boolean {
  return UNDECIDED.has(reason);
}

/**
 * Whether a form is sent again under its key: undecided, or refused until the password is given.
 */
export function keepsKey(error: unknown): boolean {
  if (!(error instanceof CallError)) return true;
  return isUndecided(error.reason) || error.reason === "step_up_needed";
}

export class FormKey {
  #form = "";
  #key = "";

  /** The key of this form: the same one while the form is unchanged and its result unknown. */
  of(form: object): string {
    const text = JSON.stringify(form);
    if (this.#form !== text || this.#key === "") this.#key = newKey();
    this.#form = text;
    return this.#key;
  }

  /** The server decided: the next form is another request. */
  decided(): void {
    this.#key = "";
  }

  /** The same, unless the result is unknown. */
  failed(error: unknown): void {
    if (!keepsKey(error)) this.decided();
  }
}

/** One key for each form, through every repetition of the call. */
export function useFormKey(): FormKey {
  const held = useRef<FormKey>(null);
  held.current ??= new FormKey();
  return held.current;
}
