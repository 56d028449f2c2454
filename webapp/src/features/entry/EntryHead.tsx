import styles from "./Entry.module.css";

export function EntryHead({ title }: { title: string }) {
  return (
    <div className={styles.head}>
      <img src={`${import.meta.env.BASE_URL}icon.svg`} alt="" width="64" height="64" />
      <h1>{title}</h1>
    </div>
  );
}
