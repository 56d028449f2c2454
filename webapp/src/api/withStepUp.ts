import { create } from "zustand";
import { CallError, unanswered } from "./client.ts";

/** An open password prompt, as its dialog sees it. */
export interface Question {
  confirmed: () => void;
  closed: () => void;
}

/** The open prompt; null while no call waits for it. */
export const useStepUp = create<{ question: Question | null }>()(() => ({ question: null }));

let answer: Promise<void> | null = null;

/** One prompt for all calls that wait for it. */
function passwordConfirmed(): Promise<void> {
  answer ??= new Promise<void>((confirmed, cancelled) => {
    const closed = () => cancelled(unanswered("cancelled"));
    useStepUp.setState({ question: { confirmed, closed } });
  }).finally(() => {
    answer = null;
    useStepUp.setState({ question: null });
  });
  return answer;
}

function needsPassword(error: unknown): boolean {
  return error instanceof CallError && error.reason === "step_up_needed";
}

/**
 * Runs a call; if the session was idle for too long, runs it again once the player has entered the
 * password. `run` may keep its Idempotency-Key: that refusal is not stored. Rejects as cancelled
 * when the prompt is closed.
 */
export async function withStepUp<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!needsPassword(error)) throw error;
    await passwordConfirmed();
    return run();
  }
}
