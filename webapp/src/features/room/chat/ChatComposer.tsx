import { type FormEvent, useId, useRef, useState } from "react";
import { useNavigate } from "react-router";
import { useFormatter, useTranslations } from "use-intl";
import { Button, IconButton } from "../../../components/Button.tsx";
import { Icon } from "../../../components/Icon.tsx";
import { textLength } from "../../../lib/textLength.ts";
import type { RoomId } from "../roomAddress.ts";
import styles from "./ChatComposer.module.css";
import type { JoinedChat } from "./useJoinChat.ts";
import { LENGTH_SHOWN_FROM, MAX_LENGTH, useSendMessage } from "./useSendMessage.ts";

interface ChatComposerProps {
  room: RoomId;
  joining: JoinedChat;
  onBuy: () => void;
  onSaid: () => void;
}

/** The message field, or why the player may not write and what to do instead. */
export function ChatComposer({ room, joining, onBuy, onSaid }: ChatComposerProps) {
  const { voice } = joining;
  if (voice.may === "register") return <Register />;
  if (voice.may === "buy") return <Muted until={voice.mutedUntil} onBuy={onBuy} />;
  return (
    <Composer room={room} ready={voice.may === "speak"} onMuted={joining.again} onSaid={onSaid} />
  );
}

function Register() {
  const t = useTranslations("chat");
  const navigate = useNavigate();
  return (
    <div className={styles.notice} data-foot="writing">
      <Icon name="person" size={20} />
      <p>{t("mustRegister")}</p>
      <Button onClick={() => navigate("/register")}>{t("register")}</Button>
    </div>
  );
}

function Muted({ until, onBuy }: { until: number | null; onBuy: () => void }) {
  const t = useTranslations("chat");
  const format = useFormatter();
  const ends =
    until !== null && format.dateTime(until * 1_000, { dateStyle: "medium", timeStyle: "short" });
  return (
    <div className={styles.notice} data-foot="writing" role="status">
      <Icon name="lock" size={20} />
      <p>
        {t("muted")}
        {ends && <small>{t("mutedUntil", { time: ends })}</small>}
      </p>
      <Button onClick={onBuy}>{t("buy")}</Button>
    </div>
  );
}

interface ComposerProps {
  room: RoomId;
  /** False until the chat is joined. */
  ready: boolean;
  onMuted: () => void;
  onSaid: () => void;
}

function Composer({ room, ready, onMuted, onSaid }: ComposerProps) {
  const t = useTranslations("chat");
  const note = useId();
  const field = useRef<HTMLInputElement>(null);
  const [words, setWords] = useState("");
  const { busy, rest, say } = useSendMessage(room, onMuted);
  const length = textLength(words);
  const tooLong = length > MAX_LENGTH;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    field.current?.focus();
    if (length === 0 || tooLong || !(await say(words.trim()))) return;
    setWords("");
    onSaid();
  };
  const hint = tooLong
    ? t("tooLong", { most: MAX_LENGTH })
    : rest > 0
      ? t("rest", { seconds: rest })
      : undefined;
  return (
    <form className={styles.composer} data-foot="writing" onSubmit={submit}>
      <input
        ref={field}
        value={words}
        onChange={(event) => setWords(event.target.value)}
        disabled={!ready}
        aria-label={t("field")}
        placeholder={t("placeholder")}
        aria-invalid={tooLong}
        aria-describedby={note}
        enterKeyHint="send"
        autoComplete="off"
      />
      <IconButton
        type="submit"
        icon="send"
        label={t("send")}
        aria-busy={busy || undefined}
        disabled={!ready || busy || rest > 0 || tooLong || length === 0}
        className={styles.send}
      />
      <p id={note} className={styles.note} data-bad={tooLong} role="status">
        <span>{hint}</span>
        {length >= LENGTH_SHOWN_FROM && <span>{t("length", { length, most: MAX_LENGTH })}</span>}
      </p>
    </form>
  );
}
