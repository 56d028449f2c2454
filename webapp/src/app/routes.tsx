import { Suspense } from "react";
import { Route, Routes } from "react-router";
import HomePage from "../features/home/HomePage.tsx";
import NotOpenPage from "../features/later/NotOpenPage.tsx";
import { Guard } from "./Guard.tsx";
import { MainTabs } from "./MainTabs.tsx";
import {
  AboutPage,
  BetDetailPage,
  BetRecordPage,
  BetRoomPage,
  CapitalDetailPage,
  DrawsPage,
  ExplainPage,
  LanguagePage,
  LinePage,
  LoginPage,
  LotteryPage,
  NoticePage,
  PersonalPage,
  RegisterPage,
  SettingPage,
} from "./pages.ts";
import { Slides } from "./Slides.tsx";

const LATER = [
  "system",
  "baseinfo",
  "defaultAvatar",
  "bankCardManage",
  "addBankCard",
  "addVirtualWallet",
  "changePassword",
  "actionCenter",
  "shareFriend",
  "withdraw",
  "recharge",
  "find",
  "trendChart",
  "moreNews",
  "aticleDetail",
];

function memberRoutes() {
  return (
    <Route element={<Guard />}>
      <Route element={<MainTabs />}>
        <Route path="personal" element={<PersonalPage />} />
      </Route>
      <Route path="notice" element={<NoticePage />} />
      <Route path="setting" element={<SettingPage />} />
      <Route path="changeline" element={<LinePage />} />
      <Route path="about" element={<AboutPage />} />
      <Route path="lottery" element={<LotteryPage />} />
      <Route path="lotterytwo" element={<LotteryPage vip={1} />} />
      <Route path="lotterythree" element={<LotteryPage vip={2} />} />
      <Route path="betRoom" element={<BetRoomPage />} />
      <Route path="betRecord" element={<BetRecordPage />} />
      <Route path="betDetail" element={<BetDetailPage />} />
      <Route path="capitalDetail" element={<CapitalDetailPage />} />
      <Route path="lotteryDetail" element={<DrawsPage />} />
      <Route path="lotteryExplain" element={<ExplainPage />} />
      {LATER.map((path) => (
        <Route key={path} path={path} element={<NotOpenPage />} />
      ))}
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
            <Route index element={<HomePage />} />
          </Route>
          <Route path="login" element={<LoginPage />} />
          <Route path="register" element={<RegisterPage />} />
          <Route path="language" element={<LanguagePage />} />
          <Route path="setSecurityCode" element={<NotOpenPage />} />
          {memberRoutes()}
          <Route path="*" element={<NotOpenPage missing />} />
        </Routes>
      </Slides>
    </Suspense>
  );
}
