import { memo, type RefObject } from "react";
import { useFormatter, useTranslations } from "use-intl";
import type { ChatMessage } from "../../../api/types.ts";
import { Icon } from "../../../components/Icon.tsx";
import { hueStyle } from "../hue.ts";
import { Own } from "../parts/Own.tsx";
import styles from "./ChatPanel.module.css";
import type { Joining } from "./joining.ts";
import { beginsGroup } from "./model.ts";
import { useChat } from "./store.ts";

interface ChatLinesProps {
  box: RefObject<HTMLElement | null>;
  lines: readonly ChatMessage[];
  /** Whether one has scrolled up. */
  behind: boolean;
  toEnd: () => void;
  joining: Joining;
}

export function ChatLines({ box, lines, behind, toEnd, joining }: ChatLinesProps) {
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
            <Line
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

interface LineProps {
  line: ChatMessage;
  mine: boolean;
  /** Whether speaker and time stand above it. */
  named: boolean;
}

const Line = memo(function Line({ line, mine, named }: LineProps) {
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
      {named && mine && <Own size={34} className={styles.avatar} />}
      {named && !mine && (
        <span className={styles.avatar} style={hueStyle(nickname)} aria-hidden="true">
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
