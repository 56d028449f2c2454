import { useRef } from "react";
import { CallError } from "../api/errors.ts";
import { newKey } from "./key.ts";

/** Refusals that the house does not remember: under the same key the call may still come true. */
const OPEN = [
  "no_network",
  "cancelled",
  "engine_busy",
  "unavailable",
  "outcome_unknown",
  "deadline_passed",
  "internal_error",
  "rate_limited",
  "step_up_needed",
];

export function isOpen(error: unknown): boolean {
  return !(error instanceof CallError) || OPEN.includes(error.reason);
}

export class FormKey {
  #form = "";
  #key = "";

  /** The key of this form: the same one for as long as the form is, and nothing is known of it. */
  of(form: object): string {
    const text = JSON.stringify(form);
    if (this.#form !== text || this.#key === "") this.#key = newKey();
    this.#form = text;
    return this.#key;
  }

  /** The house decided: whatever is sent next is another request. */
  decided(): void {
    this.#key = "";
  }

  /** The same, unless nobody knows whether it decided. */
  failed(error: unknown): void {
    if (!isOpen(error)) this.decided();
  }
}

/** One key for each form that is sent, through every repetition of it. */
export function useFormKey(): FormKey {
  const held = useRef<FormKey>(null);
  held.current ??= new FormKey();
  return held.current;
}
