import { create } from "zustand";
import { wireLanguage } from "../../i18n/locale.ts";
import { SERVICE_KEY, useServiceUnread } from "../../lib/serviceMark.ts";
import { useSession } from "../../lib/session.ts";
import {
  addMessage,
  applyFrame,
  type Conversation,
  hasBegun,
  type Line,
  lastOfDesk,
  newConversation,
  parseConversation,
  resend,
  setWatched,
  unsent,
} from "./conversation.ts";
import type { ToDesk } from "./deskConnection.ts";
import { type Connection, connectToDesk, type LinkState } from "./deskConnection.ts";

interface Service {
  readonly link: LinkState;
  readonly conversation: Conversation;
}

export const useService = create<Service>()(() => ({
  link: "connecting",
  conversation: parseConversation(
    sessionStorage.getItem(SERVICE_KEY),
    useSession.getState().userId,
  ),
}));

const conversation = () => useService.getState().conversation;
const change = (next: (before: Conversation) => Conversation): void =>
  useService.setState((before) => ({ conversation: next(before.conversation) }));

useService.subscribe(({ conversation }, before) => {
  if (conversation === before.conversation) return;
  useServiceUnread.setState({ count: conversation.unread });
  if (hasBegun(conversation)) sessionStorage.setItem(SERVICE_KEY, JSON.stringify(conversation));
});

let address = "";
let connection: Connection | undefined;

function disconnect(): void {
  connection?.close();
  connection = undefined;
}

/** Another player starts a new conversation; the session store removes the stored one. */
useSession.subscribe(({ userId }, before) => {
  if (userId === before.userId) return;
  const { watched } = conversation();
  disconnect();
  useService.setState({ conversation: { ...newConversation(userId), watched } });
  if (watched && address !== "") connect();
});

const messageOf = ({ id, text }: Line): ToDesk => ({ type: "message", id, text });

function connect(): void {
  connection ??= connectToDesk(address, {
    hello: () => ({
      type: "hello",
      visit: conversation().visit,
      language: wireLanguage(),
      after: lastOfDesk(conversation()),
    }),
    unsent: () => unsent(conversation()).map(messageOf),
    onLink: (link) => useService.setState({ link }),
    onFrame: (frame) => change((before) => applyFrame(before, frame, Date.now())),
  });
}

/** Connects for a conversation that began before a reload. */
export function resume(at: string): void {
  address = at;
  useServiceUnread.setState({ count: conversation().unread });
  if (hasBegun(conversation())) connect();
}

/** The panel is open: only now is the connection made. */
export function watch(at: string): void {
  address = at;
  change((before) => setWatched(before, true));
  connect();
}

/** The panel is closed: the connection stays only if the player has written something. */
export function unwatch(): void {
  change((before) => setWatched(before, false));
  if (!hasBegun(conversation())) disconnect();
}

function sendNewest(): void {
  const line = conversation().lines.at(-1);
  if (line) connection?.send(messageOf(line));
}

export function send(text: string): void {
  change((before) => addMessage(before, text, Date.now()));
  sendNewest();
}

export function sendAgain(id: string): void {
  change((before) => resend(before, id, Date.now()));
  sendNewest();
}

export const retry = (): void => connection?.retry();
