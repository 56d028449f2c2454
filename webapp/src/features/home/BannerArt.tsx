import type { ReactNode } from "react";

function ball(x: number, y: number, r: number, label: string, sum = false): ReactNode {
  return (
    <g key={label + x}>
      <circle cx={x} cy={y} r={r} fill={sum ? "url(#banner-sum)" : "url(#banner-ball)"} />
      <text
        x={x}
        y={y}
        fontSize={r * 0.95}
        fontWeight="750"
        textAnchor="middle"
        dominantBaseline="central"
        fill={sum ? "#fff" : "#2b2113"}
      >
        {label}
      </text>
    </g>
  );
}

const CHAIN = [0, 1, 2, 3].map((link) => (
  <g key={link} transform={`translate(${46 + link * 26} ${100 - link * 18})`}>
    <rect x="-22" y="-11" width="44" height="22" rx="11" transform="rotate(-34)" />
  </g>
));

const BARS = [30, 54, 78, 92, 78, 54, 30].map((height, at) => (
  // biome-ignore lint/suspicious/noArrayIndexKey: seven fixed bars.
  <rect key={at} x={22 + at * 20} y={126 - height} width="12" height={height} rx="4" />
));

const SCENES: ReactNode[] = [
  <>
    {ball(56, 52, 27, "5")}
    {ball(116, 40, 27, "8")}
    {ball(150, 98, 27, "2")}
    {ball(88, 108, 31, "15", true)}
  </>,
  <>
    <g fill="none" stroke="var(--gold)" strokeWidth="5">
      {CHAIN}
    </g>
    <circle cx="146" cy="106" r="22" fill="var(--gold)" />
    <path d="M136 106l7 7 13-14" fill="none" stroke="var(--on-gold)" strokeWidth="5" />
  </>,
  <>
    <g fill="var(--gold)" opacity="0.85">
      {BARS}
    </g>
    <path d="M16 130h154" stroke="var(--line-strong)" strokeWidth="2" />
  </>,
];

/** Our own banner pictures: balls, a chain with its check, the spread of the sums. */
export function BannerArt({ scene }: { scene: number }) {
  return (
    <svg viewBox="0 0 184 148" aria-hidden="true">
      <defs>
        <radialGradient id="banner-ball" cx="0.35" cy="0.28" r="0.8">
          <stop offset="0.05" stopColor="#fffaf0" />
          <stop offset="1" stopColor="#c09a55" />
        </radialGradient>
        <radialGradient id="banner-sum" cx="0.35" cy="0.28" r="0.8">
          <stop offset="0.05" stopColor="#ff8a74" />
          <stop offset="1" stopColor="#a3201a" />
        </radialGradient>
      </defs>
      {SCENES[scene]}
    </svg>
  );
}
