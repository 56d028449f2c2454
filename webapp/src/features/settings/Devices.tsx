import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { call } from "../../api/client.ts";
import type { Schemas } from "../../api/types.ts";
import { Button } from "../../components/Button.tsx";
import { Icon } from "../../components/Icon.tsx";
import { EmptyState, Skeleton } from "../../components/Placeholder.tsx";
import { toast } from "../../components/Toaster.tsx";
import { useErrorToast } from "../../components/useErrorText.ts";
import { formatTime } from "../../lib/dates.ts";
import { useSession } from "../../lib/session.ts";
import styles from "./Devices.module.css";
import settings from "./Settings.module.css";

function useDevices() {
  const token = useSession((session) => session.token);
  return useQuery({
    queryKey: ["sessions", token],
    queryFn: async ({ signal }) => (await call("user/sessions", {}, { signal })).data,
  });
}

/** Where the player is signed in, and a way to end it there. */
export function Devices() {
  const t = useTranslations("security.devices");
  const common = useTranslations("common");
  const { data: devices, isError, refetch } = useDevices();
  const { ending, end } = useEnding();
  if (devices === undefined && !isError) return <Skeleton />;
  if (devices === undefined) {
    const action = common("reload");
    return (
      <EmptyState icon="alert" text={common("loadFailed")} action={action} onAction={refetch} />
    );
  }
  const others = devices.filter((device) => !device.current);
  return (
    <>
      <p className={settings.note}>{others.length > 0 ? t("intro") : t("alone")}</p>
      <ul className={styles.list}>
        {devices.map((device) => (
          <Device key={device.id} device={device} ending={ending} onEnd={() => end(device.id)} />
        ))}
      </ul>
      {others.length > 0 && (
        <Button
          variant="danger"
          full
          busy={ending === OTHERS}
          disabled={ending !== null}
          onClick={() => end(OTHERS)}
        >
          {t("endOthers")}
        </Button>
      )}
    </>
  );
}

interface DeviceProps {
  device: Schemas["SessionView"];
  /** What is being ended now. */
  ending: string | null;
  onEnd: () => void;
}

function Device({ device, ending, onEnd }: DeviceProps) {
  const t = useTranslations("security.devices");
  const name = device.client || t("unknown");
  return (
    <li>
      <Icon name="phone" size={22} />
      <div>
        <div className={styles.head}>
          <h2>{name}</h2>
          {device.current ? (
            <span className={styles.current}>{t("current")}</span>
          ) : (
            <Button
              variant="danger"
              className={styles.end}
              aria-label={t("endOf", { device: name })}
              busy={ending === device.id}
              disabled={ending !== null}
              onClick={onEnd}
            >
              {t("end")}
            </Button>
          )}
        </div>
        <p>{t("active", { time: formatTime(device.active_at) })}</p>
        <p>{t("since", { time: formatTime(device.created_at) })}</p>
      </div>
    </li>
  );
}

/** In the place of an id: all but the one that asks. */
const OTHERS = "others";

function useEnding() {
  const t = useTranslations("security.devices");
  const fail = useErrorToast();
  const queries = useQueryClient();
  const [ending, setEnding] = useState<string | null>(null);
  const end = async (id: string) => {
    setEnding(id);
    try {
      await call("user/endSession", id === OTHERS ? { others: true } : { id });
      toast(id === OTHERS ? t("endedOthers") : t("ended"), "good");
    } catch (error) {
      fail(error);
    }
    await queries.invalidateQueries({ queryKey: ["sessions"] });
    setEnding(null);
  };
  return { ending, end };
}
