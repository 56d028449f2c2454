import { lazy } from "react";
import { loadLaterTexts } from "../i18n/texts.ts";

/** A page whose texts are not among the first ones. */
function withTexts<Page>(load: () => Promise<Page>): () => Promise<Page> {
  return async () => {
    const [page] = await Promise.all([load(), loadLaterTexts()]);
    return page;
  };
}

/** Pages that are chunks of their own, by the lower-case name of their route. */
export const loaders = {
  home: () => import("../features/home/HomePage.tsx"),
  login: withTexts(() => import("../features/entry/LoginPage.tsx")),
  register: withTexts(() => import("../features/entry/RegisterPage.tsx")),
  personal: withTexts(() => import("../features/account/PersonalPage.tsx")),
  notice: withTexts(() => import("../features/news/NoticePage.tsx")),
  setting: withTexts(() => import("../features/settings/SettingPage.tsx")),
  language: withTexts(() => import("../features/settings/LanguagePage.tsx")),
  changeline: withTexts(() => import("../features/settings/LinePage.tsx")),
  about: withTexts(() => import("../features/settings/AboutPage.tsx")),
  lottery: withTexts(() => import("../features/lottery/LotteryPage.tsx")),
  lotteryexplain: withTexts(() => import("../features/lottery/ExplainPage.tsx")),
  betroom: () => import("../features/room/BetRoomPage.tsx"),
  betrecord: withTexts(() => import("../features/history/BetRecordPage.tsx")),
  betdetail: withTexts(() => import("../features/history/BetDetailPage.tsx")),
  capitaldetail: withTexts(() => import("../features/history/CapitalDetailPage.tsx")),
  lotterydetail: withTexts(() => import("../features/history/DrawsPage.tsx")),
  withdraw: withTexts(() => import("../features/money/WithdrawPage.tsx")),
  recharge: withTexts(() => import("../features/money/RechargePage.tsx")),
  bankcardmanage: withTexts(() => import("../features/money/PayoutPage.tsx")),
  addbankcard: withTexts(() => import("../features/money/BankCardPage.tsx")),
  addvirtualwallet: withTexts(() => import("../features/money/WalletPage.tsx")),
  setsecuritycode: withTexts(() => import("../features/security/SecurityCodePage.tsx")),
  changepassword: withTexts(() => import("../features/security/PasswordPage.tsx")),
  system: withTexts(() => import("../features/settings/SystemPage.tsx")),
  baseinfo: withTexts(() => import("../features/profile/BaseInfoPage.tsx")),
  defaultavatar: withTexts(() => import("../features/profile/AvatarPage.tsx")),
  sharefriend: withTexts(() => import("../features/profile/SharePage.tsx")),
  actioncenter: withTexts(() => import("../features/profile/ActionsPage.tsx")),
  protection: withTexts(() => import("../features/protection/ProtectionPage.tsx")),
  find: withTexts(() => import("../features/charts/CandlesPage.tsx")),
  trendchart: withTexts(() => import("../features/charts/TrendPage.tsx")),
  morenews: withTexts(() => import("../features/news/NewsPage.tsx")),
  aticledetail: withTexts(() => import("../features/news/ArticlePage.tsx")),
};

type PageName = keyof typeof loaders;

function isPage(name: string): name is PageName {
  return name in loaders;
}

/** Begins to load the page of a path, and whatever comes of it is its route's business. */
export function preloadPath(pathname: string): void {
  const name = pathname.split("/").pop()?.toLowerCase() || "home";
  if (isPage(name)) loaders[name]().catch(() => undefined);
}

/** Loads the page behind a link as soon as a finger is on it, before it is let go. */
export function preload(target: EventTarget): void {
  const link = target instanceof Element ? target.closest("a") : null;
  if (link !== null) preloadPath(link.pathname);
}

export const HomePage = lazy(loaders.home);
export const LoginPage = lazy(loaders.login);
export const RegisterPage = lazy(loaders.register);
export const PersonalPage = lazy(loaders.personal);
export const NoticePage = lazy(loaders.notice);
export const SettingPage = lazy(loaders.setting);
export const LanguagePage = lazy(loaders.language);
export const LinePage = lazy(loaders.changeline);
export const AboutPage = lazy(loaders.about);
export const LotteryPage = lazy(loaders.lottery);
export const ExplainPage = lazy(loaders.lotteryexplain);
export const BetRoomPage = lazy(loaders.betroom);
export const BetRecordPage = lazy(loaders.betrecord);
export const BetDetailPage = lazy(loaders.betdetail);
export const CapitalDetailPage = lazy(loaders.capitaldetail);
export const DrawsPage = lazy(loaders.lotterydetail);
export const WithdrawPage = lazy(loaders.withdraw);
export const RechargePage = lazy(loaders.recharge);
export const PayoutPage = lazy(loaders.bankcardmanage);
export const BankCardPage = lazy(loaders.addbankcard);
export const WalletPage = lazy(loaders.addvirtualwallet);
export const SecurityCodePage = lazy(loaders.setsecuritycode);
export const PasswordPage = lazy(loaders.changepassword);
export const SystemPage = lazy(loaders.system);
export const BaseInfoPage = lazy(loaders.baseinfo);
export const AvatarPage = lazy(loaders.defaultavatar);
export const SharePage = lazy(loaders.sharefriend);
export const ActionsPage = lazy(loaders.actioncenter);
export const ProtectionPage = lazy(loaders.protection);
export const CandlesPage = lazy(loaders.find);
export const TrendPage = lazy(loaders.trendchart);
export const NewsPage = lazy(loaders.morenews);
export const ArticlePage = lazy(loaders.aticledetail);

/** Stands over the list of draws, and comes behind it. */
export const DrawProof = lazy(() => import("../features/fairness/DrawProof.tsx"));
