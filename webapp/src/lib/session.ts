import { create } from "zustand";
import { SERVICE_KEY } from "./serviceMark.ts";
import { type Line, useSettings } from "./settings.ts";

/** What a login answers, as far as the session keeps it. */
interface SignedInUser {
  token: string;
  user_id: number;
  id: number;
  username: string;
  money: number;
  group_id: Session["group_id"];
}

/** A balance in u; of two, the one with the larger version is newer. */
interface Balance {
  money: number;
  version: number;
  score?: number;
}

/** What the profile answers, as far as the session keeps it. */
interface OwnProfile extends Balance, Pick<Session, "group_id" | "username"> {
  idcard: string | null;
}

/** Who is signed in, and the newest balance known. `money` is in u; null until it is known. */
export interface Session {
  token: string;
  userId: string;
  id: string;
  username: string;
  money: number | null;
  score: number;
  group_id: 0 | 1 | 2;
  idcard: string;
  /** The chosen line, 0 or 1. */
  activeList: Line;
  /** Version of `money`; an answer with an older version is ignored. */
  balanceVersion: number;
}

const KEY = "fairdraw.session";
const USER_INFO = "fairdraw.userinfo";
const FLAG = "fairdraw_signed_in";

export function emptySession(activeList: Line = 0): Session {
  return {
    token: "",
    userId: "",
    id: "",
    username: "",
    money: null,
    score: 0,
    group_id: 0,
    idcard: "",
    activeList,
    balanceVersion: -1,
  };
}

export function signedIn(before: Session, user: SignedInUser): Session {
  return {
    ...emptySession(before.activeList),
    token: user.token,
    userId: String(user.user_id),
    id: String(user.id),
    username: user.username,
    money: user.money,
    group_id: user.group_id,
  };
}

/** The line belongs to the device, not to the player, and stays. */
export function signedOut(before: Session): Session {
  return emptySession(before.activeList);
}

/** Answers may arrive out of order: only a version at least as new is applied. */
export function applyBalance(before: Session, read: Balance): Session {
  if (read.version < before.balanceVersion) return before;
  return {
    ...before,
    money: read.money,
    score: read.score ?? before.score,
    balanceVersion: read.version,
  };
}

export function withProfile(before: Session, profile: OwnProfile): Session {
  return {
    ...applyBalance(before, profile),
    group_id: profile.group_id,
    idcard: profile.idcard ?? "",
    username: profile.username,
  };
}

/** The stored session, or an empty one where the stored text is invalid. */
export function parseSession(text: string | null, line: Line = 0): Session {
  if (text === null) return emptySession(line);
  try {
    const stored: unknown = JSON.parse(text);
    if (typeof stored !== "object" || stored === null) return emptySession(line);
    return { ...emptySession(line), ...stored };
  } catch {
    return emptySession(line);
  }
}

function hasFlag(): boolean {
  return document.cookie.split("; ").includes(`${FLAG}=1`);
}

/** A flag for the route guard; the server ignores it. */
function writeFlag(present: boolean): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing on plain http.
  document.cookie = `${FLAG}=${present ? 1 : ""}; Path=/vip; SameSite=Strict${present ? "" : "; Max-Age=0"}`;
}

function initialSession(): Session {
  if (typeof sessionStorage === "undefined") return emptySession();
  return parseSession(sessionStorage.getItem(KEY), useSettings.getState().line);
}

export const useSession = create<Session>()(initialSession);

let playerSince = 0;

/** Whether data read at this time, in ms since the epoch, is the present member's own. */
export const isOfCurrentPlayer = (readAt: number): boolean => readAt > playerSince;

useSession.subscribe((session, before) => {
  const isAnother = session.userId !== before.userId;
  if (isAnother) playerSince = Date.now();
  if (typeof sessionStorage === "undefined") return;
  if (isAnother) sessionStorage.removeItem(SERVICE_KEY);
  sessionStorage.setItem(KEY, JSON.stringify(session));
});

/** The part of a login's answer that local storage may keep: all but the token. */
export function withoutToken<User extends SignedInUser>({
  token: _,
  ...rest
}: User): Omit<User, "token"> {
  return rest;
}

export const signIn = (user: SignedInUser): void => {
  useSession.setState((before) => signedIn(before, user));
  localStorage.setItem(USER_INFO, JSON.stringify(withoutToken(user)));
  writeFlag(true);
};

export const signOut = (): void => {
  useSession.setState(signedOut);
  if (typeof document === "undefined") return;
  localStorage.removeItem(USER_INFO);
  writeFlag(false);
};

export const updateBalance = (read: Balance): void =>
  useSession.setState((before) => applyBalance(before, read));

export const updateProfile = (read: OwnProfile): void =>
  useSession.setState((before) => withProfile(before, read));

/** Both are needed: signing out in another tab removes the flag for all tabs. */
export const isSignedIn = (): boolean => useSession.getState().token !== "" && hasFlag();

export const isGuest = (session: Session): boolean => session.group_id === 2;
