import { useNavigate } from "react-router";
import { useTranslations } from "use-intl";
import { Button } from "../../../components/Button.tsx";
import styles from "./Visitor.module.css";

/** Says why a visitor cannot bet, and leads to where that changes. */
export function Visitor() {
  const t = useTranslations("room.visitor");
  const navigate = useNavigate();
  return (
    <div className={styles.visitor}>
      <p>{t("text")}</p>
      <Button variant="gold" full onClick={() => navigate("/register")}>
        {t("register")}
      </Button>
    </div>
  );
}
