import { lazy } from "react";
import { WhenIdle } from "../../../components/WhenIdle.tsx";
import { classes } from "../../../lib/classes.ts";
import { patiently } from "../../../lib/patiently.ts";
import styles from "./Own.module.css";

/** Until its chunk comes the place stays empty. */
const Picture = lazy(() => patiently(() => import("../../../components/Avatar.tsx")));

/** The picture of whoever is signed in, beside their own words or place, which say who it is. */
export function Own({ size, className }: { size: number; className?: string | undefined }) {
  return (
    <span className={classes(styles.own, className)} style={{ width: size, height: size }}>
      <WhenIdle>
        <Picture size={size} />
      </WhenIdle>
    </span>
  );
}
