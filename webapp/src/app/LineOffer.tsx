import { useQueryClient } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { Button } from "../components/Button.tsx";
import { LineLatency } from "../components/LineLatency.tsx";
import { Sheet } from "../components/Sheet.tsx";
import { toast } from "../components/Toaster.tsx";
import { chooseLine, otherLine, useLinesDiffer } from "../lib/lines.ts";
import { dismissLineOffer, useNetwork, useOnline } from "../lib/network.ts";
import { useSession } from "../lib/session.ts";
import styles from "./LineOffer.module.css";

/**
 * Says that the chosen line does not respond and offers the other; the line is never switched
 * silently. Loaded beforehand, because a line that is down cannot deliver it.
 */
export default function LineOffer() {
  const t = useTranslations("account");
  const common = useTranslations("common");
  const queries = useQueryClient();
  const online = useOnline();
  const differ = useLinesDiffer();
  const line = useSession((session) => session.activeList);
  const silent = useNetwork((state) => state.silent);
  const other = otherLine(line);
  const open = online && differ && silent?.line === line && !silent.waved;
  const take = () => {
    chooseLine(other);
    toast(t("lineSwitched", { number: other + 1 }), "good");
    void queries.invalidateQueries();
  };
  return (
    <Sheet
      open={open}
      onClose={dismissLineOffer}
      title={t("lineGone", { number: line + 1 })}
      actions={
        <>
          <Button onClick={dismissLineOffer}>{t("lineStay", { number: line + 1 })}</Button>
          <Button variant="gold" onClick={take}>
            {t("lineTake", { number: other + 1 })}
          </Button>
        </>
      }
    >
      <p className={styles.text}>{t("lineOffer", { number: other + 1 })}</p>
      <p className={styles.other} role="status">
        {common("line", { number: String(other + 1) })}
        <LineLatency line={other} />
      </p>
    </Sheet>
  );
}
