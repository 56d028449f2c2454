import { useRef } from "react";
import { useTranslations } from "use-intl";
import { type SlipTab, setTab, useSlip } from "../slipStore.ts";
import styles from "./SlipTabs.module.css";

const TABS: readonly SlipTab[] = ["base", "numbers"];

/** The panel's two tabs, each with the number of bets selected on it. */
export function SlipTabs() {
  const t = useTranslations("room.slip");
  const row = useRef<HTMLDivElement>(null);
  const tab = useSlip((slip) => slip.tab);
  const turn = () => {
    const next = TABS[1 - TABS.indexOf(tab)] ?? "base";
    setTab(next);
    row.current?.querySelectorAll("button")[TABS.indexOf(next)]?.focus();
  };
  return (
    <div
      ref={row}
      className={styles.row}
      role="tablist"
      aria-label={t("tabs")}
      onKeyDown={(press) => ["ArrowLeft", "ArrowRight"].includes(press.key) && turn()}
    >
      {TABS.map((each) => (
        <button
          key={each}
          type="button"
          role="tab"
          aria-selected={each === tab}
          tabIndex={each === tab ? 0 : -1}
          onClick={() => setTab(each)}
          data-testid={`tab-${each}`}
        >
          {t(each)}
          <Count tab={each} />
        </button>
      ))}
    </div>
  );
}

function Count({ tab }: { tab: SlipTab }) {
  const count = useSlip(
    ({ selected }) =>
      [...selected.keys()].filter((kind) => (tab === "numbers") === /^\d/.test(kind)).length,
  );
  return count > 0 && <span className={styles.count}>{count}</span>;
}
