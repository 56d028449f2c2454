import { lazy, Suspense, useEffect, useState } from "react";
import { useTranslations } from "use-intl";
import type { BetMessage, Order } from "../../api/types.ts";
import { Page } from "../../components/Page.tsx";
import { Tabs } from "../../components/Tabs.tsx";
import { toast, withdrawToast } from "../../components/toast.ts";
import { useReducedMotion } from "../../lib/motion.ts";
import { useSession } from "../../lib/session.ts";
import { useAftermath } from "./aftermath.ts";
import styles from "./BetRoomPage.module.css";
import { useChatTab } from "./chat/useChatTab.ts";
import { useHeldBack, useSuspense } from "./held.ts";
import { useRoomLive } from "./live/useRoomLive.ts";
import { takesBets } from "./model/phase.ts";
import { useSettled } from "./moment.ts";
import { Answers, answeredMs, useAfter, useForAWhile, WinBanner } from "./parts/Aftermath.tsx";
import { BuySheet } from "./parts/BuySheet.tsx";
import { FollowDialog, useFollowCheck } from "./parts/FollowDialog.tsx";
import { Hero } from "./parts/Hero.tsx";
import { LiveBets } from "./parts/LiveBets.tsx";
import { MyBets } from "./parts/MyBets.tsx";
import { RoomBar } from "./parts/RoomBar.tsx";
import { RoomTop } from "./parts/RoomTop.tsx";
import { Wallet } from "./parts/Wallet.tsx";
import { useDraws, usePlan, useRoundBets } from "./queries.ts";
import { useRecalling } from "./recalling.ts";
import { type RoomAddress, useAddress } from "./room.ts";
import { currentIssue, lastDraw, phaseNow, useRoom } from "./store.ts";
import { usePhase } from "./time.ts";

const ChatPanel = lazy(() => import("./chat/ChatPanel.tsx"));
const NO_ORDERS: readonly Order[] = [];
const ANSWERS_MS = 15_000;
const WIN_MS = 20_000;

/** The bet room: /betRoom?id=&game_id=&name=&title=&status= */
export default function BetRoomPage() {
  const room = useAddress();
  useRoomLive(room);
  return <Room key={`${room.gameId}/${room.planId}`} room={room} />;
}

type ListTab = "live" | "mine" | "chat";

function Room({ room }: { room: RoomAddress }) {
  const t = useTranslations("room");
  const [buying, setBuying] = useState(false);
  const [tab, setTab] = useState<ListTab>("live");
  const minimumUnits = usePlan(room)?.min_limit ?? 1;
  const issue = useRoom(currentIssue);
  const orders = useRoundBets(room.gameId, issue, false).data ?? NO_ORDERS;
  const open = orders.filter((order) => order.status === 0).length;
  const buy = () => (takesBets(phaseNow()) ? setBuying(true) : toast(t("closedToast"), "bad"));
  const bar = <RoomBar onBuy={buy} onRecall={() => setTab("mine")} canRecall={open > 0} />;
  useToastWithdrawn(t("closedToast"), takesBets(usePhase()));
  const chat = useChatTab();
  const tabs: { id: ListTab; label: string }[] = [
    { id: "live", label: t("tabLive") },
    { id: "mine", label: open > 0 ? t("tabMineCount", { count: String(open) }) : t("tabMine") },
    { id: "chat", label: chat },
  ];
  const recalling = useRecalling(room.gameId);
  const settled = useSettled();
  const suspense = useSuspense(settled);
  const money = useHeldBack(
    useSession((session) => session.money),
    suspense,
  );
  return (
    <Page top={<RoomTop room={room} />} bottom={bar} body="fixed" className={styles.room}>
      <LatestDraws room={room} settled={settled} />
      <Wallet money={money} suspense={suspense} minimumUnits={minimumUnits} />
      <div className={styles.bets} data-tab={tab}>
        <Consequences room={room} settled={settled} />
        <Tabs label={t("listTabs")} tabs={tabs} value={tab} onChange={setTab} />
        <div
          className={styles.list}
          role="tabpanel"
          aria-label={tab === "chat" ? chat : t("listTabs")}
        >
          {tab === "live" && <Live room={room} orders={orders} />}
          {tab === "mine" && <MyBets {...{ issue, orders, recalling }} planId={room.planId} />}
          <Suspense fallback={null}>
            {tab === "chat" && <ChatPanel room={room} onBuy={buy} />}
          </Suspense>
        </div>
      </div>
      <BuySheet
        room={room}
        open={buying}
        onClose={() => setBuying(false)}
        minimumUnits={minimumUnits}
        money={money}
      />
    </Page>
  );
}

/** Takes a toast back as soon as what it says is over. */
function useToastWithdrawn(text: string, over: boolean): void {
  useEffect(() => {
    if (over) withdrawToast(text);
  }, [text, over]);
}

interface DrawProps {
  room: RoomAddress;
  settled: number;
}

function LatestDraws({ room, settled }: DrawProps) {
  const draws = useDraws(room.gameId, useRoom(lastDraw)?.issue_code);
  return <Hero draws={draws} settled={settled} />;
}

/** What the draw meant for the member: the bets answered, and a win told. */
function Consequences({ room, settled }: DrawProps) {
  const reduced = useReducedMotion();
  const { draw, answers, win } = useAftermath(room.gameId, settled);
  const answered = answers.length > 0 && draw ? draw.issue_code : null;
  const [showAnswers, hideAnswers] = useForAWhile(answered, ANSWERS_MS);
  const [showWin, hideWin] = useForAWhile(
    useAfter(win?.issue ?? null, reduced ? 0 : answeredMs(answers)),
    WIN_MS,
  );
  return (
    <div className={styles.consequences}>
      {showWin && win && <WinBanner outcome={win} room={room} onDone={hideWin} />}
      {showAnswers && draw && <Answers draw={draw} bets={answers} onDone={hideAnswers} />}
    </div>
  );
}

function Live({ room, orders }: { room: RoomAddress; orders: readonly Order[] }) {
  const [followed, setFollowed] = useState<BetMessage | null>(null);
  const check = useFollowCheck();
  return (
    <>
      <LiveBets orders={orders} onFollow={(bet) => check(bet) && setFollowed(bet)} />
      <FollowDialog room={room} bet={followed} onClose={() => setFollowed(null)} />
    </>
  );
}
