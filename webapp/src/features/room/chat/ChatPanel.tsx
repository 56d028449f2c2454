import { memo, type RefObject, useEffect, useRef } from "react";
import { useFormatter, useTranslations } from "use-intl";
import type { ChatMessage } from "../../../api/types.ts";
import { Button } from "../../../components/Button.tsx";
import { Icon } from "../../../components/Icon.tsx";
import { useErrorText } from "../../../components/useErrorText.ts";
import { useStickToBottom } from "../../../lib/useStickToBottom.ts";
import { LazyAvatar, nameColour } from "../RoomAvatar.tsx";
import type { RoomId } from "../roomAddress.ts";
import { ChatComposer } from "./ChatComposer.tsx";
import styles from "./ChatPanel.module.css";
import { beginsGroup, setWatched } from "./chatReducer.ts";
import { changeChat, useChat } from "./chatStore.ts";
import { type JoinedChat, useJoinChat } from "./useJoinChat.ts";

interface ChatPanelProps {
  room: RoomId;
  /** Opens the buy panel, which a muted player is offered instead. */
  onBuy: () => void;
}

/** The chat of the hall: messages, newest last, and a field to write one. */
export default function ChatPanel({ room, onBuy }: ChatPanelProps) {
  const joining = useJoinChat(room);
  const lines = useChat((chat) => chat.lines);
  const { box, behind, toEnd } = useStickToBottom(lines);
  const panel = useShownWhole();
  useWatching(!behind);
  return (
    <div ref={panel} className={styles.chat}>
      <ChatLines box={box} lines={lines} behind={behind} toEnd={toEnd} joining={joining} />
      <Trouble error={joining.error} onAgain={joining.again} />
      <ChatComposer room={room} joining={joining} onBuy={onBuy} onSaid={toEnd} />
    </div>
  );
}

/**
 * The chat needs more height than a list: on a short phone it is scrolled into view, and kept there
 * when the bars above or below it grow.
 */
function useShownWhole() {
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const page = panel.current?.closest("main");
    if (!page) return;
    const resized = new ResizeObserver(() => panel.current?.scrollIntoView({ block: "end" }));
    resized.observe(page);
    const list = panel.current?.closest("[role=tabpanel]");
    if (list) resized.observe(list);
    return () => resized.disconnect();
  }, []);
  return panel;
}

/** Lines count as read while their end is in view. */
function useWatching(atEnd: boolean): void {
  useEffect(() => {
    changeChat((chat) => setWatched(chat, atEnd));
    return () => changeChat((chat) => setWatched(chat, false));
  }, [atEnd]);
}

function Trouble({ error, onAgain }: { error: unknown; onAgain: () => void }) {
  const common = useTranslations("common");
  const failure = useErrorText();
  if (!error) return null;
  return (
    <p className={styles.trouble} role="status">
      {failure(error)} <Button onClick={onAgain}>{common("reload")}</Button>
    </p>
  );
}

interface ChatLinesProps {
  box: RefObject<HTMLElement | null>;
  lines: readonly ChatMessage[];
  /** Whether one has scrolled up. */
  behind: boolean;
  toEnd: () => void;
  joining: JoinedChat;
}

function ChatLines({ box, lines, behind, toEnd, joining }: ChatLinesProps) {
  const t = useTranslations("chat");
  const common = useTranslations("common");
  const own = useChat((chat) => chat.own);
  const unread = useChat((chat) => chat.unread.size);
  const asked = joining.voice.may !== "unknown" || joining.error !== null;
  return (
    <div className={styles.frame}>
      <section
        ref={box}
        className={styles.scroller}
        role="log"
        aria-label={t("title")}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must scroll by keys too.
        tabIndex={0}
      >
        {lines.length === 0 && (
          <p className={styles.empty}>{asked ? t("empty") : common("loading")}</p>
        )}
        <ol>
          {lines.map((line, at) => (
            <ChatLine
              key={line.id}
              line={line}
              mine={own.has(line.id)}
              named={beginsGroup(lines[at - 1], line, own)}
            />
          ))}
        </ol>
      </section>
      {behind && (
        <button type="button" className={styles.newest} onClick={toEnd}>
          <Icon name="down" size={16} />
          {unread > 0 ? t("newMessages", { count: unread }) : t("toNewest")}
        </button>
      )}
    </div>
  );
}

interface ChatLineProps {
  line: ChatMessage;
  mine: boolean;
  /** Whether author and time are shown above it. */
  named: boolean;
}

const ChatLine = memo(function Line({ line, mine, named }: ChatLineProps) {
  const t = useTranslations("chat");
  const format = useFormatter();
  const { nickname, words, createtime } = line;
  const time = format.dateTime(createtime * 1_000, { hour: "2-digit", minute: "2-digit" });
  return (
    <li
      className={styles.line}
      data-mine={mine}
      data-named={named}
      data-id={line.id}
      data-testid="chat-line"
    >
      {named && mine && <LazyAvatar size={34} className={styles.avatar} />}
      {named && !mine && (
        <span className={styles.avatar} style={nameColour(nickname)} aria-hidden="true">
          {Array.from(nickname)[0]}
        </span>
      )}
      {named ? (
        <p className={styles.who}>
          <b>{mine ? t("you") : nickname}</b> <span>{time}</span>
        </p>
      ) : (
        <span className="visually-hidden">{mine ? t("you") : nickname}</span>
      )}
      <p className={styles.words}>{words}</p>
    </li>
  );
});
