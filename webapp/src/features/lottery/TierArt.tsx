import type { Tier } from "../../api/types.ts";

const PILLARS: Record<Tier, number[]> = { 0: [32, 64], 1: [24, 48, 72], 2: [20, 38, 58, 76] };

/** A hall with two, three or four pillars: the tier at a glance. */
export function TierArt({ tier }: { tier: Tier }) {
  return (
    <svg viewBox="0 0 96 88" fill="none" stroke="var(--gold)" strokeWidth="3" aria-hidden="true">
      <rect x="1.5" y="1.5" width="93" height="85" rx="18" fill="var(--gold-soft)" stroke="none" />
      <path d="M14 34L48 14l34 20z" strokeLinejoin="round" />
      {PILLARS[tier].map((x) => (
        <path key={x} d={`M${x} 40v24`} strokeLinecap="round" />
      ))}
      <path d="M12 71h72" strokeLinecap="round" />
    </svg>
  );
}
