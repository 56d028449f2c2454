/** The messages between the app and the desk, as scripts/reference_desk/protocol.py describes them. */

export const SUBPROTOCOL = "fairdraw.service.v1";
export const LONGEST_TEXT = 1_000;
const LONGEST_SHOWN = 4_000;
const LONGEST_ID = 40;
const LONGEST_FRAME = 64 * 1024;

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

/** A frame as JSON. An unpaired surrogate, which no decoder accepts, is replaced. */
export const frameOf = (message: ToDesk): string =>
  JSON.stringify(message, (_, value) =>
    typeof value === "string" ? value.replace(/\p{Surrogate}/gu, "\ufffd") : value,
  );

/** What a frame says, or undefined for what this app does not understand. */
export function fromDesk(data: unknown): FromDesk | undefined {
  if (typeof data !== "string" || data.length > LONGEST_FRAME) return undefined;
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
  if (typeof id !== "string" || id === "" || id.length > LONGEST_ID) return undefined;
  if (type === "received") return { type, id };
  if (type === "refused") {
    return { type, id, reason: REASONS.find((known) => known === reason) ?? "other" };
  }
  if (type !== "message" || typeof text !== "string" || text.trim() === "") return undefined;
  return { type, id, text: shortened(text) };
}

function shortened(text: string): string {
  const characters = Array.from(text);
  return characters.length > LONGEST_SHOWN
    ? `${characters.slice(0, LONGEST_SHOWN).join("")}…`
    : text;
}
