import { Suspense, useEffect } from "react";
import { useTranslations } from "use-intl";
import { useConfig } from "../api/commonQueries.ts";
import { isLink, isSocket } from "../lib/externalUrl.ts";
import { lazyWithRetry } from "../lib/lazyWithRetry.ts";
import { hasConversation } from "../lib/serviceMark.ts";
import { Icon } from "./Icon.tsx";
import styles from "./ServiceSheet.module.css";
import { Sheet } from "./Sheet.tsx";

const ServiceChat = lazyWithRetry(() => import("./service/ServiceChat.tsx"));

/** The ways to customer service, in a sheet over any page. */
export default function ServiceSheet({ open, onClose }: { open: boolean; onClose: () => void }) {
  const t = useTranslations("account");
  const kefu = useConfig()?.kefu;
  const page = isLink(kefu?.online ?? "") ? kefu?.online : undefined;
  const socket = isSocket(kefu?.ws ?? "") ? kefu?.ws : undefined;
  useResumed(socket);
  return (
    <Sheet open={open} onClose={onClose} title={t("service")}>
      <p className={styles.text}>{page || socket ? t("serviceText") : t("serviceNone")}</p>
      {socket && (
        <Suspense fallback={null}>
          <ServiceChat address={socket} />
        </Suspense>
      )}
      {page && (
        <a className={styles.link} href={page} target="_blank" rel="noreferrer">
          <Icon name="service" />
          <span>
            {t("serviceOnline")}
            <small>{new URL(page).host}</small>
          </span>
          <Icon name="next" size={18} />
        </a>
      )}
    </Sheet>
  );
}

/** Resumes a conversation after a reload, so that answers are noticed. */
function useResumed(socket: string | undefined): void {
  useEffect(() => {
    if (socket === undefined || !hasConversation()) return;
    // If it cannot be loaded now, opening the panel connects.
    import("./service/conversationStore.ts").then(
      ({ resume }) => resume(socket),
      () => {},
    );
  }, [socket]);
}
