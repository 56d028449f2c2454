import { Suspense } from "react";
import { Route, Routes } from "react-router";
import NotOpenPage from "../components/NotOpenPage.tsx";
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

function memberRoutes() {
  return (
    <Route element={<Guard />}>
      <Route element={<MainTabs />}>
        <Route path="personal" element={<PageAt name="personal" />} />
        <Route path="find" element={<PageAt name="find" />} />
      </Route>
      <Route path="notice" element={<PageAt name="notice" />} />
      <Route path="setting" element={<SettingRoute />} />
      <Route path="changeline" element={<PageAt name="changeline" />} />
      <Route path="about" element={<PageAt name="about" />} />
      <Route path="lottery" element={<PageAt name="lottery" />} />
      <Route path="lotterytwo" element={<PageAt name="lottery" vip={1} />} />
      <Route path="lotterythree" element={<PageAt name="lottery" vip={2} />} />
      <Route path="betRoom" element={<PageAt name="betroom" />} />
      <Route path="betRecord" element={<PageAt name="betrecord" />} />
      <Route path="betDetail" element={<PageAt name="betdetail" />} />
      <Route path="capitalDetail" element={<PageAt name="capitaldetail" />} />
      <Route path="lotteryDetail" element={drawsWithProof} />
      <Route path="lotteryExplain" element={<PageAt name="lotteryexplain" />} />
      <Route path="withdraw" element={<PageAt name="withdraw" />} />
      <Route path="recharge" element={<PageAt name="recharge" />} />
      <Route path="bankCardManage" element={<PageAt name="bankcardmanage" />} />
      <Route path="addBankCard" element={<PageAt name="addbankcard" />} />
      <Route path="addVirtualWallet" element={<PageAt name="addvirtualwallet" />} />
      <Route path="changePassword" element={<PageAt name="changepassword" />} />
      <Route path="system" element={<PageAt name="system" />} />
      <Route path="baseinfo" element={<PageAt name="baseinfo" />} />
      <Route path="defaultAvatar" element={<PageAt name="defaultavatar" />} />
      <Route path="shareFriend" element={<PageAt name="sharefriend" />} />
      <Route path="actionCenter" element={<PageAt name="actioncenter" />} />
      <Route path="trendChart" element={<PageAt name="trendchart" />} />
      <Route path="moreNews" element={<PageAt name="morenews" />} />
      <Route path="aticleDetail" element={<PageAt name="aticledetail" />} />
    </Route>
  );
}

/** The boundary stands outside the slide, so that the old page stays until the next is loaded. */
export function AppRoutes() {
  return (
    <Suspense fallback={null}>
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
          <Route path="*" element={<NotOpenPage missing />} />
        </Routes>
      </Slides>
    </Suspense>
  );
}
