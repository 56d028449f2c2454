import {
  type InfiniteData,
  type QueryClient,
  useInfiniteQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { call } from "../../api/client.ts";
import { setUnread } from "../../api/commonQueries.ts";
import type { Envelope, Schemas } from "../../api/types.ts";
import { Button } from "../../components/Button.tsx";
import { Icon, type IconName } from "../../components/Icon.tsx";
import { Page, TopBar } from "../../components/Page.tsx";
import { EmptyState, Skeleton } from "../../components/Placeholder.tsx";
import { PullToRefresh } from "../../components/PullToRefresh.tsx";
import { Sheet } from "../../components/Sheet.tsx";
import { StaleNotice } from "../../components/StaleNotice.tsx";
import { useErrorText, useErrorToast } from "../../components/useErrorText.ts";
import { useSession } from "../../lib/session.ts";
import styles from "./NoticePage.module.css";

type InboxMessage = Schemas["InboxMessage"];

/** Messages to the player and the operator's announcements; a press opens one over the page. */
export default function NoticePage() {
  const t = useTranslations("account");
  const common = useTranslations("common");
  const history = useTranslations("history");
  const inbox = useInbox();
  const failure = useErrorText();
  const { messages, error } = inbox;
  const [open, setOpen] = useState<InboxMessage | null>(null);
  const mark = useMarkRead();
  const look = (message: InboxMessage) => {
    setOpen(message);
    if (!message.read) void mark(message.id);
  };
  const none = error && !messages ? failure(error) : messages?.length === 0 && t("noticeEmpty");
  return (
    <Page top={<TopBar title={t("noticeTitle")} />} body="fixed">
      <PullToRefresh onRefresh={inbox.refetch}>
        <StaleNotice query={{ ...inbox, data: messages }} className={styles.stale} />
        {inbox.isPending && <Skeleton />}
        {none && (
          <EmptyState
            icon={error ? "alert" : "bell"}
            text={none}
            action={common("reload")}
            onAction={() => inbox.refetch()}
          />
        )}
        {messages && messages.length > 0 && <Head unread={inbox.unread} onAllRead={mark} />}
        <ul className={styles.list}>
          {messages?.map((message) => (
            <Row key={message.id} message={message} onOpen={() => look(message)} />
          ))}
        </ul>
        {inbox.hasNextPage && (
          <Button full busy={inbox.isFetchingNextPage} onClick={() => inbox.fetchNextPage()}>
            {history("more")}
          </Button>
        )}
      </PullToRefresh>
      <Sheet open={open !== null} onClose={() => setOpen(null)} title={open?.title ?? ""}>
        {open && <Opened message={open} />}
      </Sheet>
    </Page>
  );
}

function Head({ unread, onAllRead }: { unread: number; onAllRead: () => Promise<void> }) {
  const t = useTranslations("news");
  const home = useTranslations("home");
  const [busy, setBusy] = useState(false);
  const all = async () => {
    setBusy(true);
    await onAllRead();
    setBusy(false);
  };
  return (
    <header className={styles.head}>
      <p role="status">{home("unread", { count: unread })}</p>
      <Button variant="ghost" busy={busy} disabled={unread === 0} onClick={all}>
        {t("readAll")}
      </Button>
    </header>
  );
}

const MESSAGE = { icon: "mail", words: "message" } as const;
const KINDS: Record<string, { icon: IconName; words: "announcement" | "message" | "account" }> = {
  announcement: { icon: "speaker", words: "announcement" },
  account: { icon: "wallet", words: "account" },
};
const kindOf = (message: InboxMessage) => KINDS[message.kind] ?? MESSAGE;

function Row({ message, onOpen }: { message: InboxMessage; onOpen: () => void }) {
  const t = useTranslations("news");
  const format = useFormatter();
  const kind = kindOf(message);
  return (
    <li>
      <button type="button" data-read={message.read} data-testid="message" onClick={onOpen}>
        <span className={styles.icon}>
          <Icon name={kind.icon} size={20} />
        </span>
        <span className={styles.about}>
          <span>{t(`kinds.${kind.words}`)}</span>
          <time>{format.dateTime(message.createtime * 1_000, { dateStyle: "medium" })}</time>
        </span>
        <b>{message.title}</b>
        <span className={styles.start}>{message.content}</span>
        {!message.read && (
          <span className={styles.dot}>
            <span className="visually-hidden">{t("notRead")}</span>
          </span>
        )}
      </button>
    </li>
  );
}

function Opened({ message }: { message: InboxMessage }) {
  const t = useTranslations("news");
  const format = useFormatter();
  const kind = kindOf(message);
  const at = format.dateTime(message.createtime * 1_000, {
    dateStyle: "long",
    timeStyle: "short",
  });
  return (
    <>
      <p className={styles.when}>
        {t(`kinds.${kind.words}`)} · {at}
      </p>
      <p className={styles.content}>{message.content}</p>
    </>
  );
}

interface Inbox {
  messages: InboxMessage[];
  unread: number;
}
type Pages = InfiniteData<Envelope<Inbox>, string | undefined>;

const keyOf = (token: string) => ["inbox", token];

/** The player's messages and announcements, newest first, growing by their cursor. */
function useInbox() {
  const queries = useQueryClient();
  const token = useSession((session) => session.token);
  const pages = useInfiniteQuery({
    queryKey: keyOf(token),
    queryFn: async ({ pageParam, signal }) => {
      const read = await call("user/messages", pageParam ? { cursor: pageParam } : {}, { signal });
      setUnread(queries, read.data.unread);
      return read;
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => (last.more && last.cursor ? last.cursor : undefined),
  });
  const read = pages.data?.pages ?? [];
  return {
    ...pages,
    messages: pages.data && read.flatMap((page) => page.data.messages),
    unread: read.at(-1)?.data.unread ?? 0,
  };
}

/** The cached pages with these messages marked as read; the count is the server's. */
export function markedRead(pages: Pages, id: string | undefined, unread: number): Pages {
  const mark = (message: InboxMessage): InboxMessage =>
    id === undefined || message.id === id ? { ...message, read: true } : message;
  return {
    ...pages,
    pages: pages.pages.map((page) => ({
      ...page,
      data: { messages: page.data.messages.map(mark), unread },
    })),
  };
}

function cacheRead(queries: QueryClient, id: string | undefined, unread: number): void {
  setUnread(queries, unread);
  queries.setQueryData<Pages>(keyOf(useSession.getState().token), (pages) =>
    pages ? markedRead(pages, id, unread) : pages,
  );
}

/** Marks a message, or all of them, as read on the server. */
function useMarkRead(): (id?: string) => Promise<void> {
  const queries = useQueryClient();
  const failed = useErrorToast();
  return async (id) => {
    try {
      const { data } = await call("user/readMessage", id === undefined ? {} : { id });
      cacheRead(queries, id, data.unread);
    } catch (error) {
      failed(error);
    }
  };
}
