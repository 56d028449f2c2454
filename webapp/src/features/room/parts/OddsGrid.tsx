import { useTranslations } from "use-intl";
import type { OddsItem, OddsList } from "../../../api/types.ts";
import { classes } from "../../../lib/classes.ts";
import { type BetKind, EXTREMES, HALVES, isBetKind, PAIRS } from "../model/kinds.ts";
import { milliFromWire, oddsText } from "../model/units.ts";
import { toggleKind, useSlip } from "../slipStore.ts";
import { useFigures, useKindText, useKindWords } from "../words.ts";
import styles from "./OddsGrid.module.css";

interface Group {
  name: "groupHalves" | "groupPairs" | "groupExtremes";
  kinds: readonly BetKind[];
}

const GROUPS: readonly Group[] = [
  { name: "groupHalves", kinds: HALVES },
  { name: "groupPairs", kinds: PAIRS },
  { name: "groupExtremes", kinds: EXTREMES },
];

/** Everything a room offers on one tab, with odds and returns; any number may be selected. */
export function OddsGrid({ odds }: { odds: OddsList }) {
  const t = useTranslations("room.slip");
  const tab = useSlip((slip) => slip.tab);
  if (tab === "numbers") {
    return (
      <fieldset className={styles.numbers}>
        <legend className="visually-hidden">{t("groupNumbers")}</legend>
        {odds.rule_num.map((item) => (
          <Tile key={item.class} item={item} />
        ))}
      </fieldset>
    );
  }
  const items = new Map(odds.rule_base.map((item) => [item.class, item]));
  return GROUPS.map(({ name, kinds }) => (
    <fieldset key={name} className={classes(styles.group, name === "groupExtremes" && styles.pair)}>
      <legend className="visually-hidden">{t(name)}</legend>
      {kinds.map((kind) => {
        const item = items.get(kind);
        return item && <Tile key={kind} item={item} />;
      })}
    </fieldset>
  ));
}

function Tile({ item }: { item: OddsItem }) {
  const t = useTranslations("room.slip");
  const figures = useFigures();
  const words = useKindWords()(item.class);
  const kind = useKindText()(item.class);
  const selected = useSlip((slip) => isBetKind(item.class) && slip.selected.has(item.class));
  const milli = milliFromWire(item.odds);
  const odds = oddsText(milli);
  const percent = figures.percent(item.return_percent);
  const returns = t("returns", { percent });
  return (
    <button
      type="button"
      className={styles.tile}
      aria-pressed={selected}
      aria-label={`${kind}, ${t("odds")} ${odds}, ${returns}`}
      onClick={() => toggleKind(item.class, milli)}
      data-testid={`odds-${item.class}`}
    >
      <b className={styles.name}>{words.name}</b>
      {words.plain !== words.name && <span className={styles.plain}>{words.plain}</span>}
      <span className={styles.odds}>{odds}</span>
      <span className={styles.returns}>{percent}</span>
    </button>
  );
}
