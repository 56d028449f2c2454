import { useConfig } from "../api/commonQueries.ts";
import styles from "./AgeBadge.module.css";

const DEFAULT_AGE = 18;

/** The minimum age as a sign: "18+". */
export function AgeBadge() {
  const age = useConfig()?.operator.minimum_age ?? DEFAULT_AGE;
  return <b className={styles.mark}>{`${age}+`}</b>;
}
