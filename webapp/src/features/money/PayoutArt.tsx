import type { PayoutType } from "../../api/types.ts";

/** A blank card, or a wallet with its flap open: what is still to be added. */
export function PayoutArt({ type }: { type: PayoutType }) {
  return (
    <svg viewBox="0 0 160 112" width="160" height="112" aria-hidden="true" fill="none">
      {type === 0 ? <BlankCard /> : <OpenWallet />}
    </svg>
  );
}

function BlankCard() {
  return (
    <>
      <rect
        x="26"
        y="26"
        width="112"
        height="70"
        rx="10"
        stroke="var(--line-strong)"
        strokeWidth="2"
      />
      <rect
        x="16"
        y="14"
        width="112"
        height="70"
        rx="10"
        fill="var(--gold-soft)"
        stroke="var(--gold)"
        strokeWidth="2"
      />
      <path d="M16 32h112" stroke="var(--gold)" strokeWidth="7" opacity="0.55" />
      <rect x="28" y="46" width="18" height="13" rx="3" stroke="var(--gold)" strokeWidth="2" />
      <path d="M28 52h18M37 46v13" stroke="var(--gold)" strokeWidth="1.5" />
      <path
        d="M28 71h14M48 71h14M68 71h14M88 71h14"
        stroke="var(--gold)"
        strokeWidth="3"
        strokeLinecap="round"
        opacity="0.6"
      />
      <circle cx="128" cy="84" r="15" fill="var(--ground)" stroke="var(--gold)" strokeWidth="2" />
      <path d="M128 77v14M121 84h14" stroke="var(--gold)" strokeWidth="2.5" strokeLinecap="round" />
    </>
  );
}

function OpenWallet() {
  return (
    <>
      <path
        d="M24 34l82-20a8 8 0 0 1 10 7v13"
        stroke="var(--line-strong)"
        strokeWidth="2"
        strokeLinejoin="round"
      />
      <rect
        x="18"
        y="34"
        width="112"
        height="60"
        rx="10"
        fill="var(--gold-soft)"
        stroke="var(--gold)"
        strokeWidth="2"
      />
      <path
        d="M130 54h-26a11 11 0 0 0 0 22h26"
        fill="var(--ground)"
        stroke="var(--gold)"
        strokeWidth="2"
      />
      <circle cx="105" cy="65" r="3.5" fill="var(--gold)" />
      <path
        d="M34 54l9-6 9 6v11l-9 6-9-6zM34 54l9 6 9-6M43 60v11"
        stroke="var(--gold)"
        strokeWidth="1.8"
        strokeLinejoin="round"
        opacity="0.75"
      />
      <circle cx="130" cy="94" r="15" fill="var(--ground)" stroke="var(--gold)" strokeWidth="2" />
      <path d="M130 87v14M123 94h14" stroke="var(--gold)" strokeWidth="2.5" strokeLinecap="round" />
    </>
  );
}
