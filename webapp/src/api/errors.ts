import type { Envelope } from "./types.ts";

/** What a call rejects with: the envelope, or one of our own when no answer came. */
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

  /** The part of the request that is to blame, by its name in the call; "" for none. */
  get field(): string {
    return this.envelope.field ?? "";
  }
}

export function unanswered(reason: "no_network" | "cancelled"): CallError {
  return new CallError({ code: -1, msg: "", time: 0, data: null, reason });
}

/** The refusal's name, whatever a call rejected with; empty for a fault of our own. */
export function reasonOf(error: unknown): string {
  return error instanceof CallError ? error.reason : "";
}
