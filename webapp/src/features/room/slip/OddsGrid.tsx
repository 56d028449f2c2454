import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import type { OddsItem, OddsList } from "../../../api/types.ts";
import { useBetNames } from "../../../i18n/names.ts";
import {
  EXTREMES,
  HALVES,
  isBetKind,
  isSumKind,
  type NamedKind,
  PAIRS,
} from "../../../lib/betKinds.ts";
import { classes } from "../../../lib/classes.ts";
import { milliFromWire } from "../../../lib/minorUnits.ts";
import { useFormatters } from "../useFormatters.ts";
import styles from "./OddsGrid.module.css";
import { toggleKind, useSlip } from "./slipStore.ts";

const GROUPS = [
  { name: "groupHalves", kinds: HALVES },
  { name: "groupPairs", kinds: PAIRS },
  { name: "groupExtremes", kinds: EXTREMES },
] as const;

type None<Kind extends never> = Kind;
/** Does not compile for a named kind that no group shows: no player could bet on it. */
export type NotShown = None<Exclude<NamedKind, (typeof GROUPS)[number]["kinds"][number]>>;

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
  const common = useTranslations("common");
  const figures = useFormatters();
  const words = useBetNames()(item.class);
  const selected = useSlip((slip) => isBetKind(item.class) && slip.selected.has(item.class));
  const milli = milliFromWire(item.odds);
  return (
    <button
      type="button"
      className={styles.tile}
      aria-pressed={selected}
      onClick={() => toggleKind(item.class, milli)}
      data-testid={`odds-${item.class}`}
    >
      <b className={styles.name}>
        {isSumKind(item.class) && <Heard>{common("sum")} </Heard>}
        {words.name}
      </b>
      {words.plain !== words.name && <span className={styles.plain}>{words.plain}</span>}
      <span className={styles.odds}>
        <Heard>{t("odds")} </Heard>
        {figures.odds(milli)}
      </span>
      <span className={styles.returns}>
        <Heard>{t("returns")} </Heard>
        {figures.percent(item.return_percent)}
      </span>
    </button>
  );
}

/** A label for screen readers; visually the position says it. */
function Heard({ children }: { children: ReactNode }) {
  return <span className="visually-hidden">{children}</span>;
}
