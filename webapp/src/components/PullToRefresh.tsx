import { type ReactNode, type TouchEvent, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import styles from "./PullToRefresh.module.css";

const TRIGGER_PX = 64;
const DAMPING = 0.45;

/** A scrolling box that reloads when pulled down at its top. Its content stays meanwhile. */
export function PullToRefresh({
  onRefresh,
  children,
}: {
  onRefresh: () => Promise<unknown>;
  children: ReactNode;
}) {
  const t = useTranslations("common");
  const box = useRef<HTMLDivElement>(null);
  const from = useRef<number | null>(null);
  const [pulled, setPulled] = useState(0);
  const [busy, setBusy] = useState(false);
  const begin = (touch: TouchEvent) => {
    from.current =
      box.current?.scrollTop === 0 && !busy ? (touch.touches[0]?.clientY ?? null) : null;
  };
  const drag = (touch: TouchEvent) => {
    const now = touch.touches[0]?.clientY;
    if (from.current === null || now === undefined) return;
    setPulled(Math.max(0, (now - from.current) * DAMPING));
  };
  const release = async () => {
    from.current = null;
    setPulled(0);
    if (pulled < TRIGGER_PX) return;
    setBusy(true);
    await onRefresh().catch(() => undefined);
    setBusy(false);
  };
  const hint = busy ? t("refreshing") : pulled >= TRIGGER_PX ? t("releaseHint") : t("pullHint");
  return (
    <div
      ref={box}
      className={styles.box}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must scroll by keys too.
      tabIndex={0}
      onTouchStart={begin}
      onTouchMove={drag}
      onTouchEnd={release}
      onTouchCancel={() => setPulled(0)}
    >
      <div
        className={styles.hint}
        style={{ height: busy ? 40 : pulled }}
        role={busy ? "status" : undefined}
      >
        {(busy || pulled > 0) && hint}
      </div>
      {children}
    </div>
  );
}
