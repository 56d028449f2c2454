import { Link, useSearchParams } from "react-router";
import { useTranslations } from "use-intl";
import { call } from "../../api/client.ts";
import type { Draw } from "../../api/types.ts";
import { Balls } from "../../components/Balls.tsx";
import { Icon } from "../../components/Icon.tsx";
import { Page, TopBar } from "../../components/Page.tsx";
import { useBetName, useGameName } from "../../i18n/names.ts";
import { labelsOf, toneOf } from "../../lib/betKinds.ts";
import { formatTime } from "../../lib/dates.ts";
import { RowList, usePages } from "./RowList.tsx";
import styles from "./Rows.module.css";

const GAMES = [1, 2, 3, 4];
const FIRST_GAME = 1;

/** Draw results of one game, newest first. */
export default function DrawsPage() {
  const t = useTranslations("history");
  const [query] = useSearchParams();
  const asked = Number(query.get("game_id"));
  const game_id = GAMES.includes(asked) ? asked : FIRST_GAME;
  const draws = usePages<Draw>(["draws", game_id], (cursor, signal) =>
    call("Lottery/issueList", { game_id, ...(cursor && { cursor }) }, { signal }),
  );
  const game = useGameName()(game_id, query.get("name") ?? "");
  return (
    <Page body="fixed" top={<TopBar title={t("drawsOf", { game })} />}>
      <RowList
        pages={draws}
        empty={t("noDraws")}
        row={(draw) => <DrawRow key={draw.issue_code} draw={draw} query={query} />}
      />
    </Page>
  );
}

/** A draw and the way to its proof, which the same address with an issue opens over the list. */
function DrawRow({ draw, query }: { draw: Draw; query: URLSearchParams }) {
  const t = useTranslations("history");
  const kindName = useBetName();
  const [size = "small", parity = "even"] = labelsOf(draw.code);
  const proof = new URLSearchParams(query);
  proof.set("issue", draw.issue_code);
  const digits: [number, number, number] = [draw.site_1, draw.site_2, draw.site_3];
  return (
    <li className={`${styles.row} ${styles.draw}`}>
      <p className={styles.issue}>
        {draw.issue_code}
        {draw.createtime !== undefined && <small>{formatTime(draw.createtime)}</small>}
      </p>
      <Link
        to={`?${proof}`}
        state={{ overList: true }}
        className={styles.check}
        aria-label={t("checkRound", { issue: draw.issue_code })}
      >
        <Icon name="shield" size={18} />
        {t("check")}
      </Link>
      <div className={styles.drawn}>
        <Balls drawn={{ digits, sum: draw.code }} />
        <span className={styles.tags}>
          <i data-tone={toneOf(size)}>{kindName(size)}</i>
          <i>{kindName(parity)}</i>
        </span>
      </div>
    </li>
  );
}
