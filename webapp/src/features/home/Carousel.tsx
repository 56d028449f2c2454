import { useEffect, useRef } from "react";
import { useTranslations } from "use-intl";
import { useConfig } from "../../api/queries.ts";
import { BannerArt } from "./BannerArt.tsx";
import styles from "./Carousel.module.css";
import { useAutoplay } from "./useAutoplay.ts";

const AUTOPLAY_MS = 3_000;
const OWN = ["banner1", "banner2", "banner3"] as const;
type Own = (typeof OWN)[number];

/** Pictures of the configuration; our own drawn ones where it names none that is an address. */
export function Carousel({ images }: { images: string[] }) {
  const t = useTranslations("home");
  const asScheduled = useConfig()?.demo === false;
  // A demonstration may keep times of its own: none are named there.
  const textOf = (name: Own) =>
    t(name === "banner1" && !asScheduled ? "banner1Demo" : `${name}Text`);
  const pictures = images.filter((image) => image.startsWith("/") || image.startsWith("http"));
  const count = pictures.length > 0 ? pictures.length : OWN.length;
  const [at, setAt] = useAutoplay(count, AUTOPLAY_MS);
  const track = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = track.current;
    element?.scrollTo({
      left: at * element.clientWidth,
      behavior: at === 0 ? "instant" : "smooth",
    });
  }, [at]);
  const settled = () => {
    const element = track.current;
    if (element) setAt(Math.round(element.scrollLeft / element.clientWidth));
  };
  return (
    <section className={styles.carousel} aria-label={t("banners")}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must scroll by keys too. */}
      <div ref={track} className={styles.track} onScrollEnd={settled} tabIndex={0}>
        {pictures.map((picture, index) => (
          <img
            key={picture}
            className={styles.slide}
            src={picture}
            alt={t("banner", { at: index + 1, count })}
          />
        ))}
        {pictures.length === 0 &&
          OWN.map((name, index) => (
            <figure key={name} className={styles.slide}>
              <BannerArt scene={index} />
              <figcaption>
                <b>{t(name)}</b>
                <span>{textOf(name)}</span>
              </figcaption>
            </figure>
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
