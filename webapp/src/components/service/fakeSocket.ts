import type { ToDesk } from "./deskConnection.ts";

/** A web socket for tests, which play the server. */
export class FakeSocket {
  static all: FakeSocket[] = [];
  static refused = false;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: (() => void) | null = null;
  sent: ToDesk[] = [];
  closed = false;
  readonly url: string;
  readonly protocol: string;
  constructor(url: string, protocol: string) {
    this.url = url;
    this.protocol = protocol;
    if (FakeSocket.refused) throw new DOMException("insecure", "SecurityError");
    FakeSocket.all.push(this);
  }
  send(frame: string) {
    this.sent.push(JSON.parse(frame));
  }
  close() {
    this.closed = true;
  }
  says(message: unknown) {
    this.onmessage?.({ data: typeof message === "string" ? message : JSON.stringify(message) });
  }
}

/** The socket that was opened last. */
export function newest(): FakeSocket {
  const socket = FakeSocket.all.at(-1);
  if (socket === undefined) throw new Error("no socket was opened");
  return socket;
}

/** The desk accepts the newest socket and says that staff are there. */
export function here(): void {
  newest().onopen?.();
  newest().says({ type: "state", state: "here" });
}
