/** A medal with one, two or three balls: the level at a glance. */
export function VipArt({ level }: { level: 0 | 1 | 2 }) {
  const balls = [[50], [38, 62], [31, 50, 69]][level] ?? [];
  return (
    <svg viewBox="0 0 100 84" aria-hidden="true">
      <path d="M50 4l36 14v26c0 20-15 31-36 36C29 75 14 64 14 44V18z" fill="var(--gold-soft)" />
      <path
        d="M50 10l30 12v22c0 16-12 25-30 30-18-5-30-14-30-30V22z"
        fill="none"
        stroke="var(--gold)"
        strokeWidth="2"
      />
      {balls.map((x) => (
        <circle key={x} cx={x} cy="42" r="8" fill="var(--gold)" />
      ))}
      <path d="M32 58h36" stroke="var(--gold)" strokeWidth="2" strokeLinecap="round" />
    </svg>
  );
}
