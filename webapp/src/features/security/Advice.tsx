import { Icon } from "../../components/Icon.tsx";
import styles from "./Security.module.css";

/** What one should know before a secret is set. */
export function Advice({ sentences }: { sentences: string[] }) {
  return (
    <ul className={styles.advice}>
      {sentences.map((sentence) => (
        <li key={sentence}>
          <Icon name="shield" size={18} />
          {sentence}
        </li>
      ))}
    </ul>
  );
}
