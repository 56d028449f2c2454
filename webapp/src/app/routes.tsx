import { Suspense } from "react";
import { Route, Routes } from "react-router";
import { TopBar } from "../components/TopBar.tsx";
import { useOnline } from "../lib/network.ts";
import { Guard } from "./Guard.tsx";
import { MainTabs } from "./MainTabs.tsx";
import { DrawProof, PageAt } from "./pages.ts";
import { SettingRoute } from "./SettingRoute.tsx";
import { Slides } from "./Slides.tsx";

/** The proof has a boundary of its own: the list does not wait for it. */
const drawsWithProof = (
  <>
    <PageAt name="lotterydetail" />
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

const plain = (path: (typeof PAGES)[number] | "personal" | "find") => (
  <Route
    key={path}
    path={path}
    element={<PageAt name={path.toLowerCase() as Lowercase<typeof path>} />}
  />
);

function memberRoutes() {
  return (
    <Route element={<Guard />}>
      <Route element={<MainTabs />}>{(["personal", "find"] as const).map(plain)}</Route>
      {PAGES.map(plain)}
      <Route path="setting" element={<SettingRoute />} />
      <Route path="lotterytwo" element={<PageAt name="lottery" vip={1} />} />
      <Route path="lotterythree" element={<PageAt name="lottery" vip={2} />} />
      <Route path="lotteryDetail" element={drawsWithProof} />
    </Route>
  );
}

/** Where the way back leads to a page that cannot come without a network, a way on from there. */
function Waiting() {
  return useOnline() ? null : <TopBar title="" />;
}

/** The boundary stands outside the slide, so that the old page stays until the next is loaded. */
export function AppRoutes() {
  return (
    <Suspense fallback={<Waiting />}>
      <Slides>
        <Routes>
          <Route element={<MainTabs />}>
            <Route index element={<PageAt name="home" />} />
          </Route>
          <Route path="login" element={<PageAt name="login" />} />
          <Route path="register" element={<PageAt name="register" />} />
          <Route path="language" element={<PageAt name="language" />} />
          <Route path="setSecurityCode" element={<PageAt name="setsecuritycode" />} />
          {memberRoutes()}
          <Route path="*" element={<PageAt name="missing" />} />
        </Routes>
      </Slides>
    </Suspense>
  );
}
