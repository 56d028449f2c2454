import { Suspense, useEffect, useState } from "react";
import { useTranslations } from "use-intl";
import type { BetMessage, Order } from "../../api/types.ts";
import { useBreakText } from "../../components/BreakNotice.tsx";
import { Page } from "../../components/Page.tsx";
import { Tabs } from "../../components/Tabs.tsx";
import { dismissToastText, toast } from "../../components/Toaster.tsx";
import { WhenIdle } from "../../components/WhenIdle.tsx";
import { lazyWithRetry } from "../../lib/lazyWithRetry.ts";
import { useSession } from "../../lib/session.ts";
import { useSuppressReminders } from "../../lib/suppressReminders.ts";
import { BalanceBar } from "./BalanceBar.tsx";
import styles from "./BetRoomPage.module.css";
import { useChatTab } from "./chat/chatStore.ts";
import { DrawPanel } from "./draw/DrawPanel.tsx";
import { isPlaced } from "./draw/outcome.ts";
import {
  DRAW_SHOWN,
  useDelayedBalance,
  useDrawAnimation,
  useDrawPending,
} from "./draw/useDrawAnimation.ts";
import { LiveBets, useFollowCheck } from "./feed/LiveBets.tsx";
import { takesBets } from "./phase.ts";
import { useDraws, useRefetchBetsOnBalance, useRoundBets } from "./queries.ts";
import { RoomBar } from "./RoomBar.tsx";
import { RoomTop } from "./RoomTop.tsx";
import { isHall, type RoomAddress, useAddress } from "./roomAddress.ts";
import { currentIssue, lastDraw, phaseNow, useRoom } from "./roomStore.ts";
import { useClosedText, useHall } from "./useHall.ts";
import { usePhase } from "./useRoomClock.ts";
import { useRoomLive } from "./useRoomLive.ts";

// The room renders before these are loaded.
const ChatPanel = lazyWithRetry(() => import("./chat/ChatPanel.tsx"));
const OutcomeSection = lazyWithRetry(() => import("./draw/OutcomeSection.tsx"));
const AdmissionCheck = lazyWithRetry(() => import("./AdmissionCheck.tsx"));
const BuySheet = lazyWithRetry(() => import("./slip/BuySheet.tsx"));
const FollowDialog = lazyWithRetry(() => import("./feed/FollowDialog.tsx"));
const MyBets = lazyWithRetry(() => import("./feed/MyBets.tsx"));
const NoHall = lazyWithRetry(() => import("./NoHall.tsx"));
const NO_ORDERS: readonly Order[] = [];

/** The bet room: /betRoom?id=&game_id=&name=&title=&status= */
export default function BetRoomPage() {
  const room = useAddress();
  return isHall(room) ? <Open key={room.planId} room={room} /> : <NoHall />;
}

function Open({ room }: { room: RoomAddress }) {
  useRoomLive(room);
  return <Room room={room} />;
}

type ListTab = "live" | "mine" | "chat";

function Room({ room }: { room: RoomAddress }) {
  const t = useTranslations("room");
  const [buying, setBuying] = useState(false);
  const [tab, setTab] = useState<ListTab>("live");
  const { minimumUnits, joinLimit, shut } = useHall(room);
  const settled = useDrawAnimation();
  const drawn = useRoom(lastDraw);
  const draws = useDraws(room.gameId, drawn);
  // While the balls are animated, the next round is already open.
  const rolling = settled < DRAW_SHOWN;
  const current = useRoom(currentIssue);
  const issue = rolling ? drawn?.issue_code : current;
  const orders = useRoundBets(room.gameId, issue, rolling).data ?? NO_ORDERS;
  const placed = orders.filter(isPlaced).length;
  const breakText = useBreakText();
  const closedText = useClosedText(room);
  const buy = () => {
    if (breakText !== null) return toast(breakText, "bad");
    if (takesBets(phaseNow())) return setBuying(true);
    toast(closedText(), "bad");
  };
  const onSale = takesBets(usePhase());
  const recallable = onSale && !rolling && orders.some((order) => order.status === 0);
  const bar = <RoomBar {...{ shut, recallable }} onBuy={buy} onRecall={() => setTab("mine")} />;
  useToastWithdrawn(t("closedToast"), onSale);
  const chat = useChatTab();
  const tabs: { id: ListTab; label: string }[] = [
    { id: "live", label: t("tabLive") },
    { id: "mine", label: placed > 0 ? t("tabMineCount", { count: String(placed) }) : t("tabMine") },
    { id: "chat", label: chat },
  ];
  useRefetchBetsOnBalance(room.gameId);
  const pending = useDrawPending(settled);
  useSuppressReminders(pending);
  const money = useDelayedBalance(
    useSession((session) => session.money),
    pending,
  );
  return (
    <Page top={<RoomTop room={room} />} bottom={bar} body="fixed" className={styles.room}>
      <DrawPanel room={room} draws={draws} settled={settled} />
      <BalanceBar money={money} pending={pending} minimumUnits={minimumUnits} />
      <div className={styles.bets} data-tab={tab}>
        <Tabs label={t("listTabs")} tabs={tabs} value={tab} onChange={setTab} />
        <div
          className={styles.list}
          role="tabpanel"
          aria-label={tab === "chat" ? chat : t("listTabs")}
        >
          <WhenIdle>
            <OutcomeSection room={room} settled={settled} />
          </WhenIdle>
          <div className={styles.lines}>
            {tab === "live" && <Live room={room} orders={orders} />}
            <Suspense fallback={null}>
              {tab === "mine" && <MyBets {...{ room, issue, orders, rolling, recallable }} />}
              {tab === "chat" && <ChatPanel room={room} onBuy={buy} />}
            </Suspense>
          </div>
        </div>
      </div>
      <WhenIdle>
        <AdmissionCheck room={room} joinLimit={joinLimit} />
      </WhenIdle>
      <WhenIdle now={buying}>
        <BuySheet
          room={room}
          open={buying}
          onClose={() => setBuying(false)}
          minimumUnits={minimumUnits}
          money={money}
          settled={settled}
        />
      </WhenIdle>
    </Page>
  );
}

/** Removes a toast as soon as its reason is over. */
function useToastWithdrawn(text: string, over: boolean): void {
  useEffect(() => {
    if (over) dismissToastText(text);
  }, [text, over]);
}

function Live({ room, orders }: { room: RoomAddress; orders: readonly Order[] }) {
  const [followed, setFollowed] = useState<BetMessage | null>(null);
  const check = useFollowCheck(room);
  return (
    <>
      <LiveBets orders={orders} onFollow={(bet) => check(bet) && setFollowed(bet)} />
      <WhenIdle now={followed !== null}>
        <FollowDialog room={room} bet={followed} onClose={() => setFollowed(null)} />
      </WhenIdle>
    </>
  );
}
