import { type ReactNode, useEffect, useId, useRef } from "react";
import styles from "./Tabs.module.css";

export interface Tab<Id extends string | number> {
  id: Id;
  label: string;
}

interface TabsProps<Id extends string | number> {
  label: string;
  tabs: readonly Tab<Id>[];
  value: Id;
  onChange: (id: Id) => void;
  /** `segment` is the boxed kind, for two or three short labels. */
  look?: "line" | "segment";
}

export function Tabs<Id extends string | number>({
  label,
  tabs,
  value,
  onChange,
  look = "line",
}: TabsProps<Id>) {
  const row = useRef<HTMLDivElement>(null);
  const at = tabs.findIndex((tab) => tab.id === value);
  const move = (by: number) => {
    const next = tabs[(at + by + tabs.length) % tabs.length];
    if (next === undefined) return;
    onChange(next.id);
    row.current?.querySelectorAll("button")[tabs.indexOf(next)]?.focus();
  };
  const inView = useRef(0);
  useEffect(() => {
    if (inView.current === at) return;
    inView.current = at;
    const tab = row.current?.children[at];
    if (!(tab instanceof HTMLElement)) return;
    const middle = tab.offsetLeft - ((row.current?.clientWidth ?? 0) - tab.clientWidth) / 2;
    row.current?.scrollTo({ left: middle, behavior: "smooth" });
  }, [at]);
  return (
    <div
      ref={row}
      className={styles[look]}
      role="tablist"
      aria-label={label}
      onKeyDown={(press) => {
        if (press.key === "ArrowRight") move(1);
        if (press.key === "ArrowLeft") move(-1);
      }}
    >
      {tabs.map((tab) => (
        <button
          key={tab.id}
          type="button"
          role="tab"
          className={styles.tab}
          aria-selected={tab.id === value}
          tabIndex={tab.id === value ? 0 : -1}
          onClick={() => onChange(tab.id)}
        >
          {tab.label}
        </button>
      ))}
    </div>
  );
}

interface SwipeTabsProps<Id extends string | number> extends Omit<TabsProps<Id>, "look"> {
  panel: (id: Id) => ReactNode;
}

/**
 * Tabs over swipeable panels, implemented with scroll-snap; the tabs follow the scroll position.
 */
export function SwipeTabs<Id extends string | number>({ panel, ...tabs }: SwipeTabsProps<Id>) {
  const track = useRef<HTMLDivElement>(null);
  const name = useId();
  const at = tabs.tabs.findIndex((tab) => tab.id === tabs.value);
  useEffect(() => {
    const element = track.current;
    if (element && Math.round(element.scrollLeft / element.clientWidth) !== at) {
      element.scrollTo({ left: at * element.clientWidth, behavior: "smooth" });
    }
  }, [at]);
  const settled = () => {
    const element = track.current;
    if (!element) return;
    const shown = tabs.tabs[Math.round(element.scrollLeft / element.clientWidth)];
    if (shown !== undefined && shown.id !== tabs.value) tabs.onChange(shown.id);
  };
  return (
    <div className={styles.swipe}>
      <Tabs {...tabs} />
      <div ref={track} className={styles.track} onScrollEnd={settled}>
        {tabs.tabs.map((tab) => (
          <div
            key={tab.id}
            id={`${name}-${tab.id}`}
            role="tabpanel"
            aria-label={tab.label}
            inert={tab.id !== tabs.value}
            className={styles.panel}
          >
            {panel(tab.id)}
          </div>
        ))}
      </div>
    </div>
  );
}
