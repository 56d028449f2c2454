import { create } from "zustand";

/** One call that is being repeated. */
export interface WeakCall {
  attempt: number;
  cancel: () => void;
}

/** Calls past their first attempt, by a number of their own: the network is weak while any is. */
export const useNetwork = create<{ weak: Record<number, WeakCall> }>()(() => ({ weak: {} }));

export function noteWeak(call: number, weak: WeakCall): void {
  useNetwork.setState(({ weak: others }) => ({ weak: { ...others, [call]: weak } }));
}

export function noteDone(call: number): void {
  useNetwork.setState(({ weak }) => {
    if (!(call in weak)) return { weak };
    const { [call]: _done, ...others } = weak;
    return { weak: others };
  });
}
