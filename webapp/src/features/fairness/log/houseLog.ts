/** The log as the house serves it: the public tree, and the player's own entries. */

import { call, reasonOf, TIMEOUT_MS, unanswered } from "../../../api/client.ts";
import { addressOf, lineAddress, otherLine } from "../../../lib/lines.ts";
import { useSession } from "../../../lib/session.ts";
import { useSettings } from "../../../lib/settings.ts";
import type { LogSource, PublicLog } from "./checkLog.ts";

const MISSING = 404;

/** Each request fails with a CallError if the house does not answer, or says that it is busy. */
export function houseLog(signal: AbortSignal): LogSource {
  const other = otherLineAddress();
  return {
    ...publicLog(lineAddress(), signal),
    other: other === null ? null : publicLog(other, signal),
    async entry(bet) {
      try {
        return (await call("fair/entry", { bet }, { signal })).data;
      } catch (error) {
        const reason = reasonOf(error);
        if (reason === "fact_unsealed") return "unsealed";
        if (reason === "fact_unknown") return "unknown";
        throw error;
      }
    },
  };
}

/** The origin of the line that is not chosen; null if both lines are one address. */
function otherLineAddress(): string | null {
  const line = otherLine(useSession.getState().activeList);
  const address = addressOf(line, useSettings.getState().lines, location.origin);
  return address === lineAddress() ? null : address;
}

/** The log's tree as the line at an origin shows it. */
function publicLog(line: string, signal: AbortSignal): PublicLog {
  const log = `${line}/api/fair`;
  return {
    async checkpoint() {
      // A checkpoint that the browser kept says nothing about what the line shows now.
      const answer = await published(`${log}/checkpoint`, signal, "no-store");
      if (answer === null) throw unanswered("no_network");
      return answer.text();
    },
    consistency: (old, now) => pathOf(`${log}/proof/consistency?old=${old}&new=${now}`, signal),
    inclusion: (position, size) =>
      pathOf(`${log}/proof/inclusion?position=${position}&size=${size}`, signal),
  };
}

async function pathOf(url: string, signal: AbortSignal): Promise<string[] | null> {
  const answer = await published(url, signal);
  return answer === null ? null : toPath(await answer.json());
}

/** Anything but a list of texts proves nothing. */
function toPath(answer: unknown): string[] {
  const { path } = (answer ?? {}) as { path?: unknown };
  const isPath = Array.isArray(path) && path.every((each) => typeof each === "string");
  return isPath ? path : [""];
}

/** null where the house says that there is nothing. */
async function published(
  url: string,
  signal: AbortSignal,
  cache: RequestCache = "default",
): Promise<Response | null> {
  const either = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const answer = await fetch(url, { cache, signal: either }).catch(() => null);
  if (answer?.status === MISSING) return null;
  if (answer === null || !answer.ok) throw unanswered("no_network");
  return answer;
}
