import { create } from "zustand";
import { type BetKind, isBetKind } from "../../../lib/betKinds.ts";
import type { Keys } from "./betKeys.ts";

export type SlipTab = "base" | "numbers";

export interface SlipState {
  /** The player and the hall of the slip; it survives navigation and a reload. */
  readonly owner: string;
  readonly planId: number;
  /** The chosen bets with the odds, in thousandths, that were shown when they were chosen. */
  readonly selected: ReadonlyMap<BetKind, number>;
  /** The stake of each bet as typed. */
  readonly stake: string;
  readonly tab: SlipTab;
  /** Keys of bets whose outcome is not known yet. */
  readonly keys: Keys;
}

const STAKE_KEY = "fairdraw.room.stake";
const SLIP_KEY = "fairdraw.room.slip";

function storedStake(): string {
  return typeof localStorage === "undefined" ? "" : (localStorage.getItem(STAKE_KEY) ?? "");
}

function newSlip(): SlipState {
  return {
    owner: "",
    planId: 0,
    selected: new Map(),
    stake: storedStake(),
    tab: "base",
    keys: new Map(),
  };
}

export function slipText({ selected, keys, ...plain }: SlipState): string {
  return JSON.stringify({ ...plain, selected: [...selected], keys: [...keys] });
}

type Pairs<Value> = (readonly [string, Value])[];
type Stored = Partial<Omit<SlipState, "selected" | "keys">> & {
  selected?: Pairs<number>;
  keys?: Pairs<string>;
};

/** What storage holds, or an empty slip where it holds nothing that fits. */
export function parseSlip(text: string | null): SlipState {
  const empty = newSlip();
  if (text === null) return empty;
  try {
    const { selected = [], keys = [], ...plain }: Stored = JSON.parse(text);
    const chosen = selected.filter((pair): pair is [BetKind, number] => isBetKind(pair[0]));
    const stake = String(plain.stake ?? empty.stake);
    return { ...empty, ...plain, stake, selected: new Map(chosen), keys: new Map(keys) };
  } catch {
    return empty;
  }
}

const storage = typeof sessionStorage === "undefined" ? null : sessionStorage;

export const useSlip = create<SlipState>()(() => parseSlip(storage?.getItem(SLIP_KEY) ?? null));

useSlip.subscribe((slip) => storage?.setItem(SLIP_KEY, slipText(slip)));

/**
 * Opens the slip of a player in a hall. Another hall has another slip; the stake stays, and so do
 * outstanding keys, which contain their hall. Another player gets an empty slip.
 */
export function openSlip(owner: string, planId: number): void {
  const slip = useSlip.getState();
  if (slip.owner !== owner) useSlip.setState({ ...newSlip(), owner, planId }, true);
  else if (slip.planId !== planId) useSlip.setState({ planId, selected: new Map() });
}

export function toggleKind(kind: string, oddsMilli: number): void {
  if (!isBetKind(kind)) return;
  useSlip.setState(({ selected }) => {
    const next = new Map(selected);
    if (!next.delete(kind)) next.set(kind, oddsMilli);
    return { selected: next };
  });
}

export const emptySlip = (): void => useSlip.setState({ selected: new Map() });

export function dropKinds(kinds: readonly BetKind[]): void {
  useSlip.setState(({ selected }) => ({
    selected: new Map([...selected].filter(([kind]) => !kinds.includes(kind))),
  }));
}

/** Takes the odds now in force for everything selected; what is no longer offered goes. */
export function acceptOdds(current: ReadonlyMap<string, number>): void {
  useSlip.setState(({ selected }) => ({
    selected: new Map(
      [...selected.keys()].flatMap((kind) => {
        const odds = current.get(kind);
        return odds === undefined ? [] : [[kind, odds] as const];
      }),
    ),
  }));
}

export const setStake = (stake: string): void => useSlip.setState({ stake });
export const setTab = (tab: SlipTab): void => useSlip.setState({ tab });

export function saveStake(stake: string): void {
  localStorage.setItem(STAKE_KEY, stake);
}
