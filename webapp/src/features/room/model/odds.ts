/** The odds in force, read once into integers. */

import type { OddsItem, OddsList } from "../../../api/types.ts";
import type { BetKind } from "./kinds.ts";
import { milliFromWire } from "./units.ts";

export type OddsTable = ReadonlyMap<string, number>;

export function oddsTable(list: OddsList): OddsTable {
  const milli = (item: OddsItem): [string, number] => [item.class, milliFromWire(item.odds)];
  return new Map([...list.rule_base, ...list.rule_num].map(milli));
}

export interface OddsChange {
  readonly kind: BetKind;
  readonly wasMilli: number;
  readonly isMilli: number;
}

/** What pays otherwise now than when it was selected; 0 for a bet no longer offered. */
export function oddsChanges(
  selected: ReadonlyMap<BetKind, number>,
  current: OddsTable,
): readonly OddsChange[] {
  return [...selected]
    .map(([kind, wasMilli]) => ({ kind, wasMilli, isMilli: current.get(kind) ?? 0 }))
    .filter((change) => change.wasMilli !== change.isMilli);
}
