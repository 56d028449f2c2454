import { create } from "zustand";
import type { Keys } from "./model/keys.ts";
import { type BetKind, isBetKind } from "./model/kinds.ts";

export type SlipTab = "base" | "numbers";

interface SlipState {
  /** The chosen bets with the odds, in thousandths, that were shown when they were chosen. */
  readonly selected: ReadonlyMap<BetKind, number>;
  /** The stake of each bet as typed. */
  readonly stake: string;
  readonly tab: SlipTab;
  /** Keys of bets whose outcome is not known yet. */
  readonly keys: Keys;
}

const STAKE_KEY = "fairdraw.room.stake";

function rememberedStake(): string {
  return typeof localStorage === "undefined" ? "" : (localStorage.getItem(STAKE_KEY) ?? "");
}

export const useSlip = create<SlipState>()(() => ({
  selected: new Map(),
  stake: rememberedStake(),
  tab: "base",
  keys: new Map(),
}));

/** Another room is another slip; the stake stays, and so do keys, which name their room. */
export const emptySlip = (): void => useSlip.setState({ selected: new Map() });

export function toggleKind(kind: string, oddsMilli: number): void {
  if (!isBetKind(kind)) return;
  useSlip.setState(({ selected }) => {
    const next = new Map(selected);
    if (!next.delete(kind)) next.set(kind, oddsMilli);
    return { selected: next };
  });
}

export function dropKinds(kinds: readonly BetKind[]): void {
  useSlip.setState(({ selected }) => ({
    selected: new Map([...selected].filter(([kind]) => !kinds.includes(kind))),
  }));
}

/** Takes the odds now in force for everything selected. */
export function acceptOdds(current: ReadonlyMap<string, number>): void {
  useSlip.setState(({ selected }) => ({
    selected: new Map([...selected].map(([kind, was]) => [kind, current.get(kind) ?? was])),
  }));
}

export const setStake = (stake: string): void => useSlip.setState({ stake });
export const setTab = (tab: SlipTab): void => useSlip.setState({ tab });

export function rememberStake(stake: string): void {
  localStorage.setItem(STAKE_KEY, stake);
}
