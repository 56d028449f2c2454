import type { ReactNode } from "react";

/** Three balls above the tree that proves them. */
function Draw(): ReactNode {
  return (
    <>
      <path d="M18 66V58h30v-8M78 66V58H48M33 66v-8M63 66v-8" />
      <g fill="var(--gold)" stroke="none">
        {[18, 33, 63, 78].map((x) => (
          <rect key={x} x={x - 5} y="65" width="10" height="10" rx="3" />
        ))}
        <circle cx="48" cy="32" r="15" />
      </g>
      <circle cx="19" cy="34" r="9" />
      <circle cx="77" cy="34" r="9" />
      <path d="M41 32.5l5 5.5 9.5-10.5" stroke="var(--gold-soft)" strokeWidth="4" />
    </>
  );
}

/** An open book with a mark in it. */
function Guide(): ReactNode {
  return (
    <>
      <path d="M48 28c-8-7-18-8-30-7v46c12-1 22 0 30 7 8-7 18-8 30-7V21c-12-1-22 0-30 7zM48 28v46" />
      <path d="M26 34c5 0 9 .6 13 2.5M26 45c5 0 9 .6 13 2.5M26 56c5 0 9 .6 13 2.5" />
      <path d="M58 19v27l7-6 7 6V19.5z" fill="var(--gold)" stroke="none" />
    </>
  );
}

/** A pair of scales: what is put in, and what comes back. */
function Scales(): ReactNode {
  return (
    <>
      <path d="M48 16v58M34 76h28M20 30l28-8 28 8" />
      <path d="M20 30L10 54h20zM76 30L66 50h20z" />
      <path d="M8 54a12 9 0 0 0 24 0zM64 50a12 9 0 0 0 24 0z" fill="var(--gold)" stroke="none" />
      <circle cx="48" cy="16" r="5" fill="var(--gold)" stroke="none" />
    </>
  );
}

const PICTURES: Record<string, () => ReactNode> = {
  original: Draw,
  recommend: Guide,
  wealth: Scales,
};

/** A picture for an article, by the tab it stands in. */
export function TopicArt({ tab }: { tab: string }) {
  const Picture = PICTURES[tab] ?? Guide;
  return (
    <svg
      viewBox="0 0 96 96"
      fill="none"
      stroke="var(--gold)"
      strokeWidth="3"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <rect width="96" height="96" rx="20" fill="var(--gold-soft)" stroke="none" />
      <Picture />
    </svg>
  );
}
