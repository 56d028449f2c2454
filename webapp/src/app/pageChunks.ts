/** Pages that are chunks of their own, by the lower-case name of their route. */
export const loaders = {
  home: () => import("../features/home/HomePage.tsx"),
  login: () => import("../features/auth/LoginPage.tsx"),
  register: () => import("../features/auth/RegisterPage.tsx"),
  personal: () => import("../features/account/PersonalPage.tsx"),
  notice: () => import("../features/news/NoticePage.tsx"),
  setting: () => import("../features/settings/SettingPage.tsx"),
  language: () => import("../features/settings/LanguagePage.tsx"),
  changeline: () => import("../features/settings/LinePage.tsx"),
  about: () => import("../features/settings/AboutPage.tsx"),
  lottery: () => import("../features/lottery/LotteryPage.tsx"),
  lotteryexplain: () => import("../features/lottery/ExplainPage.tsx"),
  betroom: () => import("../features/room/BetRoomPage.tsx"),
  betrecord: () => import("../features/history/BetRecordPage.tsx"),
  betdetail: () => import("../features/history/BetDetailPage.tsx"),
  capitaldetail: () => import("../features/history/CapitalDetailPage.tsx"),
  lotterydetail: () => import("../features/history/DrawsPage.tsx"),
  withdraw: () => import("../features/money/WithdrawPage.tsx"),
  recharge: () => import("../features/money/RechargePage.tsx"),
  bankcardmanage: () => import("../features/money/PayoutPage.tsx"),
  addbankcard: () => import("../features/money/BankCardPage.tsx"),
  addvirtualwallet: () => import("../features/money/WalletPage.tsx"),
  setsecuritycode: () => import("../features/security/SecurityCodePage.tsx"),
  changepassword: () => import("../features/security/PasswordPage.tsx"),
  system: () => import("../features/settings/SystemPage.tsx"),
  baseinfo: () => import("../features/profile/BaseInfoPage.tsx"),
  defaultavatar: () => import("../features/profile/AvatarPage.tsx"),
  sharefriend: () => import("../features/profile/SharePage.tsx"),
  actioncenter: () => import("../features/profile/FairPlayPage.tsx"),
  protection: () => import("../features/protection/ProtectionPage.tsx"),
  find: () => import("../features/charts/CandlesPage.tsx"),
  trendchart: () => import("../features/charts/TrendPage.tsx"),
  statistics: () => import("../features/statistics/StatisticsPage.tsx"),
  fairness: () => import("../features/fairness/ChecksPage.tsx"),
  morenews: () => import("../features/news/NewsPage.tsx"),
  aticledetail: () => import("../features/news/ArticlePage.tsx"),
  missing: () => import("./MissingPage.tsx"),
};

export type PageName = keyof typeof loaders;

/** Pages whose texts are all in `coreTexts`. */
export const PAGES_WITH_CORE_TEXTS: ReadonlySet<PageName> = new Set(["home", "betroom"]);

/** The page of a path; undefined for an unknown path. */
export function pageAt(pathname: string): PageName | undefined {
  const name = pathname.split("/").pop()?.toLowerCase() || "home";
  return Object.hasOwn(loaders, name) ? (name as PageName) : undefined;
}
