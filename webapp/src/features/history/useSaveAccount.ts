import { useEffect, useRef, useState } from "react";
import { call } from "../../api/client.ts";
import { saveFile } from "../../lib/saveFile.ts";
import { useSession } from "../../lib/session.ts";
import { type AccountFile, type Progress, readAccount } from "./accountFile.ts";

interface SavingState {
  progress?: Progress;
  saved?: AccountFile;
  error?: unknown;
}

/** Saves the evidence of the account; `stop` gives up, as leaving the page does. */
export function useSaveAccount() {
  const player = useSession((session) => session.userId);
  const [state, setState] = useState<SavingState>({});
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);
  const save = async () => {
    const run = new AbortController();
    running.current = run;
    const show = (next: SavingState) => {
      if (!run.signal.aborted) setState(next);
    };
    show({ progress: { done: 0, total: 0 } });
    try {
      const saved = await readAccount(
        async (asked) => (await call("fair/account", asked, { signal: run.signal })).data,
        player,
        (progress) => show({ progress }),
      );
      if (run.signal.aborted) return;
      saveFile(saved.name, saved.content, "application/json");
      show({ saved });
    } catch (error) {
      show({ error });
    }
  };
  const stop = () => {
    running.current?.abort();
    setState({});
  };
  return { ...state, save, stop };
}
