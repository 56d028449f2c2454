import { Suspense, useState } from "react";
import { useTranslations } from "use-intl";
import type { Draw } from "../../../api/types.ts";
import { Icon } from "../../../components/Icon.tsx";
import { Sheet } from "../../../components/Sheet.tsx";
import { later } from "../../../lib/later.ts";
import { ALL_SETTLED } from "../moment.ts";
import type { RoomAddress } from "../room.ts";
import { useRoom } from "../store.ts";
import styles from "./Earlier.module.css";

const EarlierDraws = later(() => import("./EarlierDraws.tsx"));
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
        <Suspense fallback={null}>
          <EarlierDraws room={room} draws={told} />
        </Suspense>
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
