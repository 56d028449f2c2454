import type { ReactNode } from "react";
import type { Tier } from "../../api/types.ts";

const GATE = (
  <>
    <path d="M24 68V34l24-15 24 15v34z" fill="var(--gold)" fillOpacity="0.1" />
    <path d="M38 68V50a10 10 0 0 1 20 0v18z" fill="var(--surface)" />
    <circle cx="48" cy="33" r="3.5" fill="var(--gold)" stroke="none" />
    <path d="M18 68h60M14 73h68" />
  </>
);

const PORTICO = (
  <>
    <path d="M16 38L48 19l32 19z" fill="var(--gold)" fillOpacity="0.14" />
    <circle cx="48" cy="31" r="3.5" fill="var(--gold)" stroke="none" />
    <path d="M18 42h60M27 46v20M41 46v20M55 46v20M69 46v20" />
    <path d="M18 69h60M14 74h68" />
  </>
);

const DOME = (
  <>
    <circle cx="48" cy="9" r="3" fill="var(--gold)" stroke="none" />
    <path d="M26 38a22 22 0 0 1 44 0z" fill="var(--gold)" fillOpacity="0.2" />
    <path d="M48 12v26M39 18c-3 5-5 12-5 20M57 18c3 5 5 12 5 20" strokeWidth="1.6" />
    <path d="M20 38h56v6H20z" fill="var(--gold)" fillOpacity="0.1" />
    <path d="M26 48v18M37 48v18M48 48v18M59 48v18M70 48v18" />
    <path d="M18 69h60M12 74h72" />
  </>
);

const HALLS: Record<Tier, ReactNode> = { 0: GATE, 1: PORTICO, 2: DOME };
const PIPS: Record<Tier, readonly number[]> = { 0: [48], 1: [43, 53], 2: [38, 48, 58] };

/** A gate, a portico or a dome for the hall, above one to three balls for the level. */
export function TierArt({ tier, level }: { tier: Tier; level: Tier }) {
  return (
    <svg viewBox="0 0 96 88" fill="none" stroke="var(--gold)" strokeWidth="2.4" aria-hidden="true">
      <rect x="1" y="1" width="94" height="86" rx="18" fill="var(--gold-soft)" stroke="none" />
      <g strokeLinejoin="round" strokeLinecap="round">
        {HALLS[tier]}
      </g>
      {PIPS[level].map((x) => (
        <circle key={x} cx={x} cy="80.5" r="2.6" fill="var(--gold)" stroke="none" />
      ))}
    </svg>
  );
}
