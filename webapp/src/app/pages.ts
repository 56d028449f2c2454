import { type ComponentType, createElement, lazy, useState } from "react";
import type { Tier } from "../api/types.ts";
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

interface PageProps {
  /** Which level's halls, where the route says it. */
  vip?: Tier;
}
type Page = ComponentType<PageProps>;

const loaded = new Map<PageName, Page>();
const later = new Map<PageName, Page>();

/** Loads a page, and remembers it, so that it need not be waited for where it has been loaded. */
async function load(name: PageName): Promise<{ default: Page }> {
  const page: { default: Page } = await loaders[name]();
  loaded.set(name, page.default);
  return page;
}

function laterOf(name: PageName): Page {
  const known = later.get(name) ?? lazy(() => load(name));
  later.set(name, known);
  return known;
}

/** The page at its route: at once where it is there, else when it comes. */
export function PageAt({ name, ...props }: PageProps & { name: PageName }) {
  return createElement(Placed, { key: name, name, ...props });
}

function Placed({ name, ...props }: PageProps & { name: PageName }) {
  const [Shown] = useState(() => loaded.get(name) ?? laterOf(name));
  return createElement(Shown, props);
}

/** Begins to load the page of a path, and whatever comes of it is its route's business. */
export async function preloadPath(pathname: string): Promise<void> {
  const name = pathname.split("/").pop()?.toLowerCase() || "home";
  if (isPage(name)) await load(name).catch(() => undefined);
}

/** Loads the page behind a link as soon as a finger is on it, before it is let go. */
export function preload(target: EventTarget): void {
  const link = target instanceof Element ? target.closest("a") : null;
  if (link !== null) void preloadPath(link.pathname);
}

/** Stands over the list of draws, and comes behind it. */
export const DrawProof = lazy(() => import("../features/fairness/DrawProof.tsx"));
