import {
  type InfiniteData,
  type QueryClient,
  useInfiniteQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import type { Envelope } from "../../api/envelope.ts";
import { noteUnread } from "../../api/inbox.ts";
import type { InboxMessage } from "../../api/types.ts";
import { useFailureToast } from "../../i18n/failure.ts";
import { useSession } from "../../lib/session.ts";

interface Inbox {
  messages: InboxMessage[];
  unread: number;
}
type Pages = InfiniteData<Envelope<Inbox>, string | undefined>;

const keyOf = (token: string) => ["inbox", token];

/** The member's messages and announcements, newest first, growing by their cursor. */
export function useInbox() {
  const queries = useQueryClient();
  const token = useSession((session) => session.token);
  const pages = useInfiniteQuery({
    queryKey: keyOf(token),
    queryFn: async ({ pageParam, signal }) => {
      const read = await call("user/messages", pageParam ? { cursor: pageParam } : {}, { signal });
      noteUnread(queries, read.data.unread);
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

/** What the pages look like once these were read; the count is the house's. */
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

function noteRead(queries: QueryClient, id: string | undefined, unread: number): void {
  noteUnread(queries, unread);
  queries.setQueryData<Pages>(keyOf(useSession.getState().token), (pages) =>
    pages ? markedRead(pages, id, unread) : pages,
  );
}

/** Tells the house that a message was read, or all of them. */
export function useMarkRead(): (id?: string) => Promise<void> {
  const queries = useQueryClient();
  const failed = useFailureToast();
  return async (id) => {
    try {
      const { data } = await call("user/readMessage", id === undefined ? {} : { id });
      noteRead(queries, id, data.unread);
    } catch (error) {
      failed(error);
    }
  };
}
