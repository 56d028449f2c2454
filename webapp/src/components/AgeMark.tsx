import { useConfig } from "../api/queries.ts";
import styles from "./AgeMark.module.css";

const DEFAULT_AGE = 18;

/** From how many years on, as the sign that everybody knows. */
export function AgeMark() {
  const age = useConfig()?.operator.minimum_age ?? DEFAULT_AGE;
  return <b className={styles.mark}>{`${age}+`}</b>;
}
