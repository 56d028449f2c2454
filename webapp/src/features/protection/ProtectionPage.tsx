import { useEffect, useState } from "react";
import { useLocation, useNavigate, useSearchParams } from "react-router";
import { useTranslations } from "use-intl";
import { useProfile } from "../../api/commonQueries.ts";
import { useProtection } from "../../api/protection.ts";
import type { Protection } from "../../api/types.ts";
import { Amount } from "../../components/Amount.tsx";
import { BreakNotice } from "../../components/BreakNotice.tsx";
import { ChipRadio } from "../../components/Field.tsx";
import { type LinkItem, LinkList } from "../../components/LinkList.tsx";
import { Card, Page, TopBar } from "../../components/Page.tsx";
import { EmptyState, Skeleton } from "../../components/Placeholder.tsx";
import { Tabs } from "../../components/Tabs.tsx";
import { useErrorText } from "../../components/useErrorText.ts";
import { useSession } from "../../lib/session.ts";
import { Exclusion, TimeOut } from "./Breaks.tsx";
import { Limits } from "./Limits.tsx";
import { ProgressPart } from "./ProgressPart.tsx";
import styles from "./Protection.module.css";
import { useProtectionCommand } from "./useProtectionCommand.ts";
import { useVisitLength } from "./useVisitLength.ts";

type Part = "limits" | "progress";

/** /setting?type=3: limits and breaks, and with part=progress turnover, bonus and quota. */
export default function ProtectionPage() {
  const t = useTranslations("protection");
  const title = useTranslations("breaks")("title");
  const [query, setQuery] = useSearchParams();
  const isVisitor = useSession((session) => session.group_id === 2);
  const part: Part = query.get("part") === "progress" ? "progress" : "limits";
  const show = (chosen: Part) => {
    query.set("part", chosen);
    setQuery(query, { replace: true });
  };
  return (
    <Page
      top={<TopBar title={part === "limits" ? title : t("progressTitle")} />}
      className={styles.page}
    >
      {isVisitor ? (
        <Visitor />
      ) : (
        <>
          <Tabs
            look="segment"
            label={t("parts")}
            value={part}
            onChange={show}
            tabs={[
              { id: "limits", label: t("limitsTab") },
              { id: "progress", label: t("progressTab") },
            ]}
          />
          <Part part={part} />
        </>
      )}
    </Page>
  );
}

function Visitor() {
  const t = useTranslations("protection");
  const account = useTranslations("account");
  const navigate = useNavigate();
  return (
    <EmptyState
      icon="shield"
      text={t("visitor")}
      action={account("registerNow")}
      onAction={() => navigate("/register")}
    />
  );
}

function Part({ part }: { part: Part }) {
  const common = useTranslations("common");
  const failure = useErrorText();
  const { data, error, refetch } = useProtection();
  if (data !== undefined) return part === "limits" ? <Own data={data} /> : <Standing data={data} />;
  if (!error) return <Skeleton />;
  return (
    <EmptyState
      icon="alert"
      text={failure(error)}
      action={common("reload")}
      onAction={() => refetch()}
    />
  );
}

function Standing({ data }: { data: Protection }) {
  return <ProgressPart progress={data.progress} />;
}

/** Today's result, limits, reminders and breaks, and links to statements. */
function Own({ data }: { data: Protection }) {
  const t = useTranslations("protection.limits");
  const links = useLinks();
  useAnchor();
  return (
    <>
      <BreakNotice />
      <Today />
      <p className={styles.waiting}>{t("waiting")}</p>
      <Limits subject="loss" limits={data.limits} />
      <Limits subject="deposit" limits={data.limits} />
      <ReminderSetting minutes={data.reality_check_minutes} />
      {!data.excluded_for_good && (
        <>
          <TimeOut />
          <Exclusion />
        </>
      )}
      <LinkList items={links} />
    </>
  );
}

function useLinks(): LinkItem[] {
  const t = useTranslations("protection.elsewhere");
  return [
    { icon: "chart", label: t("statement"), to: "/capitalDetail" },
    { icon: "list", label: t("bets"), to: "/betRecord" },
    { icon: "lock", label: t("devices"), to: "/setting?type=4" },
    { icon: "book", label: t("explain"), to: "/lotteryExplain" },
  ];
}

/** Scrolls to the part that the address names, once it is rendered. */
function useAnchor(): void {
  const { hash } = useLocation();
  useEffect(() => {
    if (hash !== "") document.getElementById(hash.slice(1))?.scrollIntoView();
  }, [hash]);
}

/** How long this visit has been, and what the day has brought. */
function Today() {
  const t = useTranslations("protection.today");
  const time = useVisitLength();
  const { data } = useProfile();
  return (
    <Card>
      <h2>{t("title")}</h2>
      <dl className={styles.today}>
        <div>
          <dt>{t("time")}</dt>
          <dd data-testid="time-here">{time}</dd>
        </div>
        <div>
          <dt>{t("net")}</dt>
          <dd>
            <Amount value={data?.today_profit} signed />
          </dd>
        </div>
      </dl>
      <p className={styles.note}>{t("note")}</p>
    </Card>
  );
}

/** Intervals to choose from, in minutes; 0 is never. */
const OFFERED = [0, 15, 30, 60, 120];

/** The interval of reminders; a change takes effect immediately. */
function ReminderSetting({ minutes }: { minutes: number }) {
  const t = useTranslations("protection.reality");
  const length = useTranslations("protection");
  const { busy, send } = useProtectionCommand("user/realityCheck");
  const [wanted, setWanted] = useState<number | null>(null);
  // Another client may have set any other.
  const choices = OFFERED.includes(minutes) ? OFFERED : [...OFFERED, minutes];
  const choose = async (chosen: number) => {
    if (busy) return;
    setWanted(chosen);
    if ((await send({ minutes: chosen })) === null) setWanted(null);
  };
  return (
    <Card className={styles.card}>
      <h2>{t("title")}</h2>
      <p className={styles.text}>{t("text")}</p>
      <ChipRadio
        label={t("every")}
        value={wanted ?? minutes}
        onChange={choose}
        choices={choices.map((id) => ({
          id,
          label: id === 0 ? t("off") : length("minutes", { minutes: id }),
        }))}
      />
    </Card>
  );
}
