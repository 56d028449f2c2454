import { useConfig } from "../api/commonQueries.ts";
import styles from "./AgeBadge.module.css";

const DEFAULT_AGE = 18;

/** From how many years on, as the sign that everybody knows. */
export function AgeBadge() {
  const age = useConfig()?.operator.minimum_age ?? DEFAULT_AGE;
  return <b className={styles.mark}>{`${age}+`}</b>;
}
