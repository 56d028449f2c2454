/** A slip with a tick, on its way. */
export function DoneArt() {
  return (
    <svg viewBox="0 0 120 76" width="120" height="76" aria-hidden="true" fill="none">
      <path
        d="M8 62h22M4 50h18M12 38h12"
        stroke="var(--line-strong)"
        strokeWidth="3"
        strokeLinecap="round"
      />
      <path
        d="M40 8h50a4 4 0 0 1 4 4v54l-7-5-7 5-7-5-8 5-7-5-7 5-8-5-7 5V12a4 4 0 0 1 4-4z"
        transform="translate(2 1)"
        fill="var(--gold-soft)"
        stroke="var(--gold)"
        strokeWidth="2.5"
        strokeLinejoin="round"
      />
      <path
        d="M50 22h32M50 50h20"
        stroke="var(--gold)"
        strokeWidth="2.5"
        strokeLinecap="round"
        opacity="0.6"
      />
      <path
        d="M56 36l8 8 16-17"
        stroke="var(--gold)"
        strokeWidth="4"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
