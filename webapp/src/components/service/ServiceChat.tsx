import { type FormEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { textLength } from "../../lib/textLength.ts";
import { useStickToBottom } from "../../lib/useStickToBottom.ts";
import { Button, IconButton } from "../Button.tsx";
import type { Line } from "./conversation.ts";
import { retry, send, sendAgain, unwatch, useService, watch } from "./conversationStore.ts";
import { MAX_TEXT } from "./deskConnection.ts";
import styles from "./ServiceChat.module.css";

/** The live chat with customer service at an address; it is connected once it is shown. */
export default function ServiceChat({ address }: { address: string }) {
  const t = useTranslations("service");
  useEffect(() => {
    watch(address);
    return unwatch;
  }, [address]);
  return (
    <div className={styles.chat}>
      <LinkLine />
      <Lines />
      <Composer />
      <p className={styles.note}>{t("gets")}</p>
    </div>
  );
}

function LinkLine() {
  const t = useTranslations("service");
  const link = useService((service) => service.link);
  return (
    <div className={styles.link} data-link={link}>
      <p role="status">{t(link)}</p>
      {link === "reconnecting" && <Button onClick={retry}>{t("tryNow")}</Button>}
    </div>
  );
}

/** The conversation, newest last; a screen reader announces new messages. */
function Lines() {
  const t = useTranslations("service");
  const lines = useService((service) => service.conversation.lines);
  const { box } = useStickToBottom(lines);
  return (
    <section
      ref={box}
      className={styles.lines}
      role="log"
      aria-label={t("log")}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must scroll by keys too.
      tabIndex={0}
    >
      <ol>
        {lines.map((line) => (
          <LineItem key={line.id} line={line} />
        ))}
      </ol>
    </section>
  );
}

function LineItem({ line }: { line: Line }) {
  const t = useTranslations("service");
  const format = useFormatter();
  const mine = line.state !== "desk";
  return (
    <li className={styles.line} data-mine={mine} data-state={line.state}>
      <p className={styles.who}>
        {mine ? t("you") : t("desk")}{" "}
        {format.dateTime(line.at, { hour: "2-digit", minute: "2-digit" })}
      </p>
      <p className={styles.words}>{line.text}</p>
      {mine && <Fate line={line} />}
    </li>
  );
}

function Fate({ line: { id, state } }: { line: Line }) {
  const t = useTranslations("service");
  if (state === "sending" || state === "received") return <p className={styles.fate}>{t(state)}</p>;
  const why =
    state === "too_long"
      ? t("tooLong", { most: MAX_TEXT })
      : state === "too_fast"
        ? t("tooFast")
        : t("refused");
  return (
    <p className={styles.fate} data-bad="true">
      {why} {state === "too_fast" && <Button onClick={() => sendAgain(id)}>{t("again")}</Button>}
    </p>
  );
}

const LENGTH_SHOWN_FROM = 800;

/** The message field; a message written without a connection is sent once there is one. */
function Composer() {
  const t = useTranslations("service");
  const note = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const [words, setWords] = useState("");
  const length = textLength(words);
  const tooLong = length > MAX_TEXT;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    field.current?.focus();
    if (length === 0 || tooLong) return;
    send(words);
    setWords("");
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter in an input method picks a word.
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
        {tooLong && `${t("tooLong", { most: MAX_TEXT })} `}
        {length >= LENGTH_SHOWN_FROM && t("length", { length, most: MAX_TEXT })}
      </p>
    </form>
  );
}
