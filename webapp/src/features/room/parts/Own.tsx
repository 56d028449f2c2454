import { lazy, Suspense } from "react";
import styles from "./Own.module.css";

/** The room shows before it has come; without its chunk the place stays empty. */
const Picture = lazy(() =>
  import("../../../components/Avatar.tsx").then(
    ({ OwnAvatar }) => ({ default: OwnAvatar }),
    () => ({ default: () => null }),
  ),
);

/** The picture of whoever is signed in, beside their own words or place, which say who it is. */
export function Own({ size, className }: { size: number; className?: string | undefined }) {
  return (
    <span className={className} style={{ width: size, height: size }} data-testid="own-avatar">
      <Suspense fallback={<i className={styles.place} />}>
        <Picture size={size} />
      </Suspense>
    </span>
  );
}
