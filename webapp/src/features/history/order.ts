import type { Order } from "../../api/types.ts";
import type { StampKind } from "../../components/Stamp.tsx";

/** What became of an order, in one word. */
export function outcomeOf(order: Pick<Order, "status" | "whether_hit">): StampKind {
  if (order.status === 0) return "pending";
  if (order.status === 2) return "recalled";
  if (order.status === 3) return "voided";
  return order.whether_hit === 1 ? "won" : "lost";
}

/** The order that /betDetail's query holds as JSON; null when it holds none. */
export function parseOrder(text: string | null): Order | null {
  try {
    const order: unknown = JSON.parse(text ?? "null");
    if (typeof order !== "object" || order === null || !("orderNo" in order)) return null;
    return order as Order;
  } catch {
    return null;
  }
}
