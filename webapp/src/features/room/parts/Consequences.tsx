import { useEffect, useRef } from "react";
import { useReducedMotion } from "../../../lib/motion.ts";
import { useAftermath } from "../aftermath.ts";
import type { RoomAddress } from "../room.ts";
import { useWinSigns } from "../winSigns.ts";
import { Answers, answeredMs, useAfter, useForAWhile, WinBanner } from "./Aftermath.tsx";
import styles from "./Consequences.module.css";

const ANSWERS_MS = 15_000;
const WIN_MS = 20_000;

interface ConsequencesProps {
  room: RoomAddress;
  /** How many of the last draw's balls and sum are shown; see useSettled. */
  settled: number;
}

/** What the draw meant for the member: the bets answered, and a win told. */
export default function Consequences({ room, settled }: ConsequencesProps) {
  const reduced = useReducedMotion();
  const { draw, answers, win } = useAftermath(room.gameId, settled);
  const answered = answers.length > 0 && draw ? draw.issue_code : null;
  const [showAnswers, hideAnswers] = useForAWhile(answered, ANSWERS_MS);
  const [showWin, hideWin] = useForAWhile(
    useAfter(win?.issue ?? null, reduced ? 0 : answeredMs(answers)),
    WIN_MS,
  );
  const shown = showWin ? win : null;
  useWinSigns(shown);
  const hideBoth = () => {
    hideWin();
    if (shown?.issue === draw?.issue_code) hideAnswers();
  };
  return (
    <div ref={useRoomAbove()} className={styles.consequences}>
      {shown && <WinBanner outcome={shown} room={room} onDone={hideBoth} />}
      {showAnswers && draw && (
        <Answers
          draw={draw}
          bets={answers}
          told={shown?.issue === draw.issue_code}
          onDone={hideAnswers}
        />
      )}
    </div>
  );
}

/** What stands here tells the list around it how much of it is taken, in its --above. */
function useRoomAbove() {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current;
    const list = element?.parentElement;
    if (!element || !list) return;
    const resized = new ResizeObserver(() =>
      list.style.setProperty("--above", `${element.offsetHeight}px`),
    );
    resized.observe(element);
    return () => resized.disconnect();
  }, []);
  return place;
}
