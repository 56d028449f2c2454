import { type FocusEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { Link } from "react-router";
import { useTranslations } from "use-intl";
import type { Banner } from "../../api/types.ts";
import { useReducedMotion } from "../../lib/useReducedMotion.ts";
import styles from "./Carousel.module.css";

/** Counts 0, 1, … count−1, 0, … every `ms`, unless it is held. */
export function useAutoplay(
  count: number,
  ms: number,
  held: boolean,
): [number, (at: number) => void] {
  const [at, setAt] = useState(0);
  useEffect(() => {
    if (count < 2 || held) return;
    const timer = setTimeout(() => setAt((at + 1) % count), ms);
    return () => clearTimeout(timer);
  }, [at, count, ms, held]);
  return [count === 0 ? 0 : at % count, setAt];
}

/** Whether the element is touched, hovered or focused: autoplay then pauses. */
export function useInteracting() {
  const [touched, setTouched] = useState(false);
  const [focused, setFocused] = useState(false);
  const handlers = {
    onTouchStart: () => setTouched(true),
    onTouchEnd: () => setTouched(false),
    onTouchCancel: () => setTouched(false),
    onMouseEnter: () => setTouched(true),
    onMouseLeave: () => setTouched(false),
    // A touch leaves the focus behind; only :focus-visible means that the player is reading.
    onFocus: (focus: FocusEvent) => setFocused(focus.target.matches(":focus-visible")),
    onBlur: () => setFocused(false),
  };
  return [touched || focused, handlers] as const;
}

const AUTOPLAY_MS = 3_000;

/**
 * The operator's banners, which come with the configuration; nothing where there are none. They
 * rotate unless touched or focused, and not at all with reduced motion.
 */
export function Carousel({ banners }: { banners: Banner[] | undefined }) {
  const t = useTranslations("home");
  const count = banners?.length ?? 0;
  const reduced = useReducedMotion();
  const [held, holding] = useInteracting();
  const [at, setAt] = useAutoplay(count, AUTOPLAY_MS, held || reduced);
  const track = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = track.current;
    element?.scrollTo({
      left: at * element.clientWidth,
      behavior: at === 0 || reduced ? "instant" : "smooth",
    });
  }, [at, reduced]);
  const settled = () => {
    const element = track.current;
    if (element) setAt(Math.round(element.scrollLeft / element.clientWidth));
  };
  if (banners && count === 0) return null;
  return (
    <section className={styles.carousel} aria-label={t("banners")} {...holding}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must scroll by keys too. */}
      <div ref={track} className={styles.track} onScrollEnd={settled} tabIndex={0}>
        {banners?.map((banner, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two may show the same picture.
          <Slide key={index} banner={banner} inView={index === at} />
        ))}
      </div>
      <div className={styles.dots} aria-hidden="true">
        {Array.from({ length: count }, (_, dot) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: dots have no other name.
          <i key={dot} data-on={dot === at} />
        ))}
      </div>
    </section>
  );
}

function Slide({ banner, inView }: { banner: Banner; inView: boolean }) {
  return (
    <Leading to={banner.link} inView={inView}>
      <img src={banner.image} alt="" />
      <span className={styles.words}>
        <b>{banner.title}</b>
        {banner.content && <span>{banner.content}</span>}
      </span>
    </Leading>
  );
}

interface LeadingProps {
  to: string;
  inView: boolean;
  children: ReactNode;
}

/** A link into the app navigates, any other opens a new tab. */
function Leading({ to, inView, children }: LeadingProps) {
  const base = import.meta.env.BASE_URL;
  // Slides out of view are not focusable.
  const shared = { className: styles.slide, tabIndex: inView ? 0 : -1 };
  if (to.startsWith(base)) {
    return (
      <Link to={`/${to.slice(base.length)}`} {...shared}>
        {children}
      </Link>
    );
  }
  if (!to) return <div className={styles.slide}>{children}</div>;
  return (
    <a href={to} target="_blank" rel="noopener" {...shared}>
      {children}
    </a>
  );
}
