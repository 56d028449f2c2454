import { type FormEvent, type KeyboardEvent, useId, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { lengthOf } from "../../lib/lengthOf.ts";
import { IconButton } from "../Button.tsx";
import { LONGEST_TEXT } from "./protocol.ts";
import styles from "./ServiceChat.module.css";
import { say } from "./store.ts";

const LENGTH_SHOWN_FROM = 800;

/** Where the member writes; without a connection as well, and it is sent once there is one. */
export function Composer() {
  const t = useTranslations("service");
  const note = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const [words, setWords] = useState("");
  const length = lengthOf(words);
  const tooLong = length > LONGEST_TEXT;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    field.current?.focus();
    if (length === 0 || tooLong) return;
    say(words);
    setWords("");
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // An input method's Enter picks a word.
    if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) submit(event);
  };
  return (
    <form className={styles.composer} onSubmit={submit}>
      <textarea
        ref={field}
        rows={1}
        value={words}
        onChange={(event) => setWords(event.target.value)}
        onKeyDown={onKeyDown}
        aria-label={t("field")}
        placeholder={t("field")}
        aria-invalid={tooLong}
        aria-describedby={note}
        enterKeyHint="send"
        autoComplete="off"
      />
      <IconButton
        type="submit"
        icon="send"
        label={t("send")}
        disabled={tooLong || length === 0}
        className={styles.send}
      />
      <p id={note} className={styles.length} data-bad={tooLong} role="status">
        {tooLong && `${t("tooLong", { most: LONGEST_TEXT })} `}
        {length >= LENGTH_SHOWN_FROM && t("length", { length, most: LONGEST_TEXT })}
      </p>
    </form>
  );
}
