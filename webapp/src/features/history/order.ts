import type { Order } from "../../api/types.ts";

/** The result of an order, as its stamp shows it. */
export type Outcome = "won" | "lost" | "pending" | "recalled" | "voided";

export function outcomeOf(order: Pick<Order, "status" | "whether_hit">): Outcome {
  if (order.status === 0) return "pending";
  if (order.status === 2) return "recalled";
  if (order.status === 3) return "voided";
  return order.whether_hit === 1 ? "won" : "lost";
}

const SHOWN = {
  orderNo: "string",
  issue: "string",
  play_type: "string",
  game_id: "number",
  plan_id: "number",
  status: "number",
  quantity: "number",
  odds: "number",
  payout: "number",
  profit: "number",
  createtime: "number",
} as const;

function isOrder(held: unknown): held is Order {
  if (typeof held !== "object" || held === null) return false;
  const fields = new Map(Object.entries(held));
  return Object.entries(SHOWN).every(([name, type]) => typeof fields.get(name) === type);
}

/** The order that /betDetail's query holds as JSON; null when it holds none that can be shown. */
export function parseOrder(text: string | null): Order | null {
  try {
    const held: unknown = JSON.parse(text ?? "null");
    return isOrder(held) ? held : null;
  } catch {
    return null;
  }
}
