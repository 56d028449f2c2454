import { useEffect, useRef } from "react";
import { useTranslations } from "use-intl";
import { Button } from "../../../components/Button.tsx";
import { useFailureText } from "../../../i18n/failure.ts";
import { useKeptAtEnd } from "../../../lib/atEnd.ts";
import type { RoomId } from "../room.ts";
import { ChatFoot } from "./ChatFoot.tsx";
import { ChatLines } from "./ChatLines.tsx";
import styles from "./ChatPanel.module.css";
import { useJoining } from "./joining.ts";
import { watchedRead } from "./model.ts";
import { changeChat, useChat } from "./store.ts";

interface ChatPanelProps {
  room: RoomId;
  /** Opens the buy panel: what is left to whoever is muted. */
  onBuy: () => void;
}

/** The chat of the hall: what is said, newest last, and a line to say something. */
export default function ChatPanel({ room, onBuy }: ChatPanelProps) {
  const joining = useJoining(room);
  const lines = useChat((chat) => chat.lines);
  const { box, behind, toEnd } = useKeptAtEnd(lines);
  const panel = useShownWhole();
  useWatching(!behind);
  return (
    <div ref={panel} className={styles.chat}>
      <ChatLines box={box} lines={lines} behind={behind} toEnd={toEnd} joining={joining} />
      <Trouble error={joining.error} onAgain={joining.again} />
      <ChatFoot room={room} joining={joining} onBuy={onBuy} onSaid={toEnd} />
    </div>
  );
}

/**
 * The chat needs more height than a list: a short phone scrolls it into view, and keeps it there
 * when the bar below it grows, or what stands above it.
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
    changeChat((chat) => watchedRead(chat, atEnd));
    return () => changeChat((chat) => watchedRead(chat, false));
  }, [atEnd]);
}

function Trouble({ error, onAgain }: { error: unknown; onAgain: () => void }) {
  const common = useTranslations("common");
  const failure = useFailureText();
  if (!error) return null;
  return (
    <p className={styles.trouble} role="status">
      {failure(error)} <Button onClick={onAgain}>{common("reload")}</Button>
    </p>
  );
}
