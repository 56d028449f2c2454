import styles from "./Meter.module.css";

interface MeterProps {
  /** What is measured, for readers; the eye has it beside the bar. */
  label: string;
  /** 0 to 1; what lies beyond is cut off. */
  fraction: number;
  /** The bar is a warning once it is full. */
  warns?: boolean;
}

/** How much of something is used or reached, as a bar. */
export function Meter({ label, fraction, warns }: MeterProps) {
  const percent = Math.round(Math.min(1, Math.max(0, fraction)) * 100);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a native meter looks different in each browser.
    <div
      className={styles.meter}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      data-full={warns && percent === 100}
    >
      <i style={{ width: `${percent}%` }} />
    </div>
  );
}
