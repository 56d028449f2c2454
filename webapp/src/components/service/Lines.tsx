import { useFormatter, useTranslations } from "use-intl";
import { useKeptAtEnd } from "../../lib/atEnd.ts";
import { Button } from "../Button.tsx";
import type { Line } from "./conversation.ts";
import { LONGEST_TEXT } from "./protocol.ts";
import styles from "./ServiceChat.module.css";
import { sayAgain, useService } from "./store.ts";

/** The conversation, newest last; a screen reader is told of what is added. */
export function Lines() {
  const t = useTranslations("service");
  const lines = useService((service) => service.conversation.lines);
  const { box } = useKeptAtEnd(lines);
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
      ? t("tooLong", { most: LONGEST_TEXT })
      : state === "too_fast"
        ? t("tooFast")
        : t("refused");
  return (
    <p className={styles.fate} data-bad="true">
      {why} {state === "too_fast" && <Button onClick={() => sayAgain(id)}>{t("again")}</Button>}
    </p>
  );
}
