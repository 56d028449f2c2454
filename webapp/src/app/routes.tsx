import { Suspense } from "react";
import { Route, Routes } from "react-router";
import NotOpenPage from "../components/NotOpenPage.tsx";
import { Guard } from "./Guard.tsx";
import { MainTabs } from "./MainTabs.tsx";
import {
  AboutPage,
  ActionsPage,
  ArticlePage,
  AvatarPage,
  BankCardPage,
  BaseInfoPage,
  BetDetailPage,
  BetRecordPage,
  BetRoomPage,
  CandlesPage,
  CapitalDetailPage,
  DrawProof,
  DrawsPage,
  ExplainPage,
  HomePage,
  LanguagePage,
  LinePage,
  LoginPage,
  LotteryPage,
  NewsPage,
  NoticePage,
  PasswordPage,
  PayoutPage,
  PersonalPage,
  RechargePage,
  RegisterPage,
  SecurityCodePage,
  SharePage,
  SystemPage,
  TrendPage,
  WalletPage,
  WithdrawPage,
} from "./pages.ts";
import { SettingRoute } from "./SettingRoute.tsx";
import { Slides } from "./Slides.tsx";

/** The proof has a boundary of its own: the list does not wait for it. */
const drawsWithProof = (
  <>
    <DrawsPage />
    <Suspense fallback={null}>
      <DrawProof />
    </Suspense>
  </>
);

function memberRoutes() {
  return (
    <Route element={<Guard />}>
      <Route element={<MainTabs />}>
        <Route path="personal" element={<PersonalPage />} />
        <Route path="find" element={<CandlesPage />} />
      </Route>
      <Route path="notice" element={<NoticePage />} />
      <Route path="setting" element={<SettingRoute />} />
      <Route path="changeline" element={<LinePage />} />
      <Route path="about" element={<AboutPage />} />
      <Route path="lottery" element={<LotteryPage />} />
      <Route path="lotterytwo" element={<LotteryPage vip={1} />} />
      <Route path="lotterythree" element={<LotteryPage vip={2} />} />
      <Route path="betRoom" element={<BetRoomPage />} />
      <Route path="betRecord" element={<BetRecordPage />} />
      <Route path="betDetail" element={<BetDetailPage />} />
      <Route path="capitalDetail" element={<CapitalDetailPage />} />
      <Route path="lotteryDetail" element={drawsWithProof} />
      <Route path="lotteryExplain" element={<ExplainPage />} />
      <Route path="withdraw" element={<WithdrawPage />} />
      <Route path="recharge" element={<RechargePage />} />
      <Route path="bankCardManage" element={<PayoutPage />} />
      <Route path="addBankCard" element={<BankCardPage />} />
      <Route path="addVirtualWallet" element={<WalletPage />} />
      <Route path="changePassword" element={<PasswordPage />} />
      <Route path="system" element={<SystemPage />} />
      <Route path="baseinfo" element={<BaseInfoPage />} />
      <Route path="defaultAvatar" element={<AvatarPage />} />
      <Route path="shareFriend" element={<SharePage />} />
      <Route path="actionCenter" element={<ActionsPage />} />
      <Route path="trendChart" element={<TrendPage />} />
      <Route path="moreNews" element={<NewsPage />} />
      <Route path="aticleDetail" element={<ArticlePage />} />
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
          <Route path="setSecurityCode" element={<SecurityCodePage />} />
          {memberRoutes()}
          <Route path="*" element={<NotOpenPage missing />} />
        </Routes>
      </Slides>
    </Suspense>
  );
}
