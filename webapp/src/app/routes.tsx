import { Suspense, useEffect } from "react";
import { Outlet, Route, Routes, useNavigate, useSearchParams } from "react-router";
import { useTranslations } from "use-intl";
import { TopBar } from "../components/Page.tsx";
import { toast } from "../components/Toaster.tsx";
import { useOnline } from "../lib/network.ts";
import { isSignedIn, useSession } from "../lib/session.ts";
import { DrawProof, LazyPage } from "./lazyPages.ts";
import { MainTabs } from "./MainTabs.tsx";
import { PageTransition } from "./PageTransition.tsx";

/** The proof has a boundary of its own: the list does not wait for it. */
const drawsWithProof = (
  <>
    <LazyPage name="lotterydetail" />
    <Suspense fallback={null}>
      <DrawProof />
    </Suspense>
  </>
);

/** Pages of members whose path is their name, in the writing that links have. */
const PAGES = [
  "notice",
  "changeline",
  "about",
  "lottery",
  "betRoom",
  "betRecord",
  "betDetail",
  "capitalDetail",
  "lotteryExplain",
  "withdraw",
  "recharge",
  "bankCardManage",
  "addBankCard",
  "addVirtualWallet",
  "changePassword",
  "system",
  "baseinfo",
  "defaultAvatar",
  "shareFriend",
  "actionCenter",
  "trendChart",
  "moreNews",
  "aticleDetail",
] as const;

/** Pages that need no login. */
const PUBLIC_PAGES = [
  "login",
  "register",
  "language",
  "setSecurityCode",
  "statistics",
  "fairness",
] as const;

type Plain = (typeof PAGES | typeof PUBLIC_PAGES)[number] | "personal" | "find";

const plain = (path: Plain) => (
  <Route
    key={path}
    path={path}
    element={<LazyPage name={path.toLowerCase() as Lowercase<typeof path>} />}
  />
);

function memberRoutes() {
  return (
    <Route element={<RequireLogin />}>
      <Route element={<MainTabs />}>{(["personal", "find"] as const).map(plain)}</Route>
      {PAGES.map(plain)}
      <Route path="setting" element={<SettingRoute />} />
      <Route path="lotterytwo" element={<LazyPage name="lottery" vip={1} />} />
      <Route path="lotterythree" element={<LazyPage name="lottery" vip={2} />} />
      <Route path="lotteryDetail" element={drawsWithProof} />
    </Route>
  );
}

/** A bar with a back button while a page cannot load because the phone is offline. */
function Waiting() {
  return useOnline() ? null : <TopBar title="" />;
}

/** The boundary is outside the transition, so that the old page stays until the next is loaded. */
export function AppRoutes() {
  return (
    <Suspense fallback={<Waiting />}>
      <PageTransition>
        <Routes>
          <Route element={<MainTabs />}>
            <Route index element={<LazyPage name="home" />} />
          </Route>
          {PUBLIC_PAGES.map(plain)}
          {memberRoutes()}
          <Route path="*" element={<LazyPage name="missing" />} />
        </Routes>
      </PageTransition>
    </Suspense>
  );
}

const PROTECTION = "3";

/** /setting selects a page by its `type`. */
function SettingRoute() {
  const [query] = useSearchParams();
  return <LazyPage name={query.get("type") === PROTECTION ? "protection" : "setting"} />;
}

const TOAST_MS = 500;

/**
 * Renders the route for signed-in players; anyone else sees a loading toast for 500 ms, then
 * /login.
 */
function RequireLogin() {
  useSession((session) => session.token);
  return isSignedIn() ? <Outlet /> : <SendToLogin />;
}

function SendToLogin() {
  const t = useTranslations("common");
  const navigate = useNavigate();
  useEffect(() => toast(t("loading"), "busy", TOAST_MS), [t]);
  useEffect(() => {
    const timer = setTimeout(() => navigate("/login", { replace: true }), TOAST_MS);
    return () => clearTimeout(timer);
  }, [navigate]); // texts that arrive meanwhile do not begin the wait again
  return null;
}
