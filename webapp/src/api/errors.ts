import type { Envelope } from "./types.ts";

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
