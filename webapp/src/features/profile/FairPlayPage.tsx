import { useTranslations } from "use-intl";
import { Page, TopBar } from "../../components/Page.tsx";
import styles from "./FairPlayPage.module.css";
import breaks from "./pictures/breaks.svg";
import draw from "./pictures/draw.svg";
import proof from "./pictures/proof.svg";

const PICTURES = [
  ["draw", draw],
  ["proof", proof],
  ["breaks", breaks],
] as const;

/** "Fair play and limits": the draw, the receipt of a bet, and breaks. */
export default function FairPlayPage() {
  const t = useTranslations("profile.actions");
  return (
    <Page top={<TopBar title={t("title")} />} className={styles.page}>
      {PICTURES.map(([name, picture]) => (
        <figure key={name} className={styles.action}>
          <img src={picture} alt={t(`${name}Alt`)} width="720" height="400" />
          <figcaption>
            <h2>{t(`${name}Title`)}</h2>
            <p>{t(`${name}Text`)}</p>
          </figcaption>
        </figure>
      ))}
    </Page>
  );
}
