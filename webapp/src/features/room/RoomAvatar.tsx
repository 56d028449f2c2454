import { type CSSProperties, lazy } from "react";
import { WhenIdle } from "../../components/WhenIdle.tsx";
import { classes } from "../../lib/classes.ts";
import { loadWithRetry } from "../../lib/lazyWithRetry.ts";
import styles from "./RoomAvatar.module.css";

/** The place is empty until the chunk is loaded. */
const Picture = lazy(() => loadWithRetry(() => import("../../components/Avatar.tsx")));

/** The signed-in player's picture, next to a text that names them. */
export function LazyAvatar({ size, className }: { size: number; className?: string | undefined }) {
  return (
    <span className={classes(styles.own, className)} style={{ width: size, height: size }}>
      <WhenIdle>
        <Picture size={size} />
      </WhenIdle>
    </span>
  );
}

/** A background colour derived from the name. */
export function nameColour(name: string): CSSProperties {
  const hue = hueOf(name);
  return { background: `linear-gradient(140deg, hsl(${hue} 38% 38%), hsl(${hue + 50} 42% 27%))` };
}

function hueOf(name: string): number {
  return Array.from(name).reduce((hue, sign) => (hue * 31 + (sign.codePointAt(0) ?? 0)) % 360, 7);
}
