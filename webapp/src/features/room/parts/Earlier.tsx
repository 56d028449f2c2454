import { useState } from "react";
import { Link } from "react-router";
import { useTranslations } from "use-intl";
import type { Draw } from "../../../api/types.ts";
import { Balls } from "../../../components/Balls.tsx";
import { Icon } from "../../../components/Icon.tsx";
import { Sheet } from "../../../components/Sheet.tsx";
import { useKindName } from "../../../i18n/kinds.ts";
import { formatClock } from "../../../lib/dates.ts";
import { drawnOf } from "../model/draws.ts";
import { labelsOf } from "../model/kinds.ts";
import { ALL_SETTLED } from "../moment.ts";
import { type RoomAddress, useDrawsPath } from "../room.ts";
import { useRoom } from "../store.ts";
import styles from "./Earlier.module.css";

const IN_STRIP = 12;

interface EarlierProps {
  room: RoomAddress;
  draws: readonly Draw[];
  /** How many of the last draw's balls and sum are shown; see useSettled. */
  settled: number;
}

/** The sums of earlier draws in a strip; a tap lists the draws themselves. */
export function Earlier({ room, draws, settled }: EarlierProps) {
  const t = useTranslations("room");
  const [open, setOpen] = useState(false);
  const fresh = useRoom((state) => state.freshDraw?.issue_code);
  const told = draws.filter((draw) => settled >= ALL_SETTLED || draw.issue_code !== fresh);
  return (
    <div className={styles.earlier}>
      <Strip draws={told.slice(0, IN_STRIP)} />
      <button
        type="button"
        className={styles.open}
        aria-label={t("earlierOpen")}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
        data-testid="earlier-open"
      >
        <Icon name="down" size={16} />
      </button>
      <Sheet open={open} onClose={() => setOpen(false)} title={t("earlier")}>
        <List room={room} draws={told} />
      </Sheet>
    </div>
  );
}

function Strip({ draws }: { draws: readonly Draw[] }) {
  const t = useTranslations("room");
  return (
    <ol className={styles.strip} aria-label={t("earlier")}>
      {draws.map((draw) => (
        <li key={draw.issue_code} data-high={Number(draw.code) >= 14}>
          <span className="visually-hidden">
            {t("earlierItem", { issue: draw.issue_code, sum: String(draw.code) })}
          </span>
          <span aria-hidden="true">{draw.code}</span>
        </li>
      ))}
    </ol>
  );
}

function List({ room, draws }: { room: RoomAddress; draws: readonly Draw[] }) {
  const t = useTranslations("room");
  const drawsPath = useDrawsPath(room);
  const kindName = useKindName();
  if (draws.length === 0) return <p className={styles.none}>{t("noDraw")}</p>;
  return (
    <>
      <ul className={styles.list}>
        {draws.map((draw) => (
          <li key={draw.issue_code}>
            <Link to={drawsPath(draw.issue_code)}>
              <small>
                {draw.issue_code}
                <br />
                {formatClock(draw.createtime)}
              </small>
              <Balls drawn={drawnOf(draw)} />
              <span>
                {labelsOf(Number(draw.code))
                  .map((half) => kindName(half))
                  .join(" · ")}
              </span>
            </Link>
          </li>
        ))}
      </ul>
      <Link to={drawsPath()} className={styles.all}>
        {t("menuDraws")}
        <Icon name="next" size={16} />
      </Link>
    </>
  );
}
