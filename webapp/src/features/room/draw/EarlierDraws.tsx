import { Link } from "react-router";
import { useTranslations } from "use-intl";
import type { Draw } from "../../../api/types.ts";
import { Balls } from "../../../components/Balls.tsx";
import { Icon } from "../../../components/Icon.tsx";
import { useBetName } from "../../../i18n/names.ts";
import { labelsOf } from "../../../lib/betKinds.ts";
import { formatClock } from "../../../lib/dates.ts";
import { type RoomAddress, useDrawsPath } from "../roomAddress.ts";
import styles from "./EarlierDraws.module.css";
import { drawnOf } from "./latestDraws.ts";

interface EarlierDrawsProps {
  room: RoomAddress;
  draws: readonly Draw[];
}

/** The draws before, each leading to where it can be checked. */
export default function EarlierDraws({ room, draws }: EarlierDrawsProps) {
  const t = useTranslations("room");
  const drawsPath = useDrawsPath(room);
  const kindName = useBetName();
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
