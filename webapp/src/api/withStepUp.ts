import { create } from "zustand";
import { CallError, unanswered } from "./errors.ts";

/** The question for the password, as the dialog that asks it sees it. */
export interface Question {
  confirmed: () => void;
  closed: () => void;
}

/** What the dialog asks now; null while nothing waits for an answer. */
export const useStepUp = create<{ question: Question | null }>()(() => ({ question: null }));

let answer: Promise<void> | null = null;

/** One question, however many calls wait for it. */
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
 * What `run` answers; if this session was idle for too long, only once the password has been given
 * anew. `run` may keep its Idempotency-Key: that refusal is not remembered. Rejects as cancelled
 * when the question is closed.
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
