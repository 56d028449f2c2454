import { useState } from "react";
import { useNavigate } from "react-router";
import { useTranslations } from "use-intl";

import { Button } from "../../components/Button.tsx";
import { Page } from "../../components/Page.tsx";
import { TopBar } from "../../components/TopBar.tsx";
import { isGuest, useSession } from "../../lib/session.ts";
import styles from "./Entry.module.css";
import { RegisterFields } from "./RegisterFields.tsx";
import { VisitorSheet } from "./VisitorSheet.tsx";

export default function RegisterPage() {
  const t = useTranslations("entry");
  const navigate = useNavigate();
  const guest = useSession(isGuest);
  const name = useSession((session) => session.username);
  const [visitor, setVisitor] = useState(false);
  return (
    <Page
      top={<TopBar title={t(guest ? "joinTitle" : "registerTitle")} />}
      className={styles.entry}
    >
      {guest && <p className={styles.text}>{t("joinText", { name })}</p>}
      <RegisterFields />
      <div className={styles.others}>
        {!guest && (
          <Button variant="ghost" full onClick={() => setVisitor(true)}>
            {t("guest")}
          </Button>
        )}
        <Button variant="ghost" full onClick={() => navigate("/login")}>
          {t("hasAccount")}
        </Button>
      </div>
      <VisitorSheet open={visitor} onClose={() => setVisitor(false)} />
    </Page>
  );
}
