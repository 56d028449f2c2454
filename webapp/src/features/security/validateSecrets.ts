/** The errors of a form of secrets: message keys under `security.problems`, by field. */
export interface CodeForm {
  old: string;
  fresh: string;
}

export type CodeProblems = {
  old?: "needOldCode" | "badCode";
  fresh?: "needNewCode" | "badCode" | "sameCode";
};

export interface PasswordForm {
  old: string;
  fresh: string;
  confirm: string;
}

export type PasswordProblems = {
  old?: "needOldPassword";
  fresh?: "needNewPassword" | "badPassword" | "samePassword";
  confirm?: "needConfirm" | "mismatch";
};

/** Tries at a code before it is locked; the right one forgives those before it. */
export const TRIES = 10;

const CODE = /^[0-9]{6}$/;
const MIN_PASSWORD = 8;
const MAX_PASSWORD = 64;

/** Digits alone, and no more than a code has. */
export function codeDigits(typed: string): string {
  return typed.replace(/[^0-9]/g, "").slice(0, 6);
}

function oldCodeProblem(old: string): CodeProblems["old"] {
  if (old === "") return "needOldCode";
  return CODE.test(old) ? undefined : "badCode";
}

function freshCodeProblem({ old, fresh }: CodeForm): CodeProblems["fresh"] {
  if (fresh === "") return "needNewCode";
  if (!CODE.test(fresh)) return "badCode";
  return fresh === old ? "sameCode" : undefined;
}

/** The errors of a change of the code; empty when there are none. */
export function codeProblems(form: CodeForm): CodeProblems {
  const old = oldCodeProblem(form.old);
  const fresh = freshCodeProblem(form);
  return { ...(old && { old }), ...(fresh && { fresh }) };
}

function freshPasswordProblem({ old, fresh }: PasswordForm): PasswordProblems["fresh"] {
  if (fresh === "") return "needNewPassword";
  // Counted as the server counts them: a sign of two code units is one character.
  const length = [...fresh].length;
  if (length < MIN_PASSWORD || length > MAX_PASSWORD) return "badPassword";
  return fresh === old ? "samePassword" : undefined;
}

function confirmProblem({ fresh, confirm }: PasswordForm): PasswordProblems["confirm"] {
  if (confirm === "") return "needConfirm";
  return confirm === fresh ? undefined : "mismatch";
}

/** The errors of a change of the password; empty when there are none. */
export function passwordProblems(form: PasswordForm): PasswordProblems {
  const fresh = freshPasswordProblem(form);
  const confirm = confirmProblem(form);
  return {
    ...(form.old === "" && { old: "needOldPassword" as const }),
    ...(fresh && { fresh }),
    ...(confirm && { confirm }),
  };
}

/** Our fields by the names that the server has for them. */
const FIELDS: Record<string, "old" | "fresh"> = {
  after_code: "old",
  new_code: "fresh",
  after_pass: "old",
  new_pass: "fresh",
};

/** The field that a refusal is about, by the server's name for it. */
export function blamed(field: string): "old" | "fresh" | null {
  return FIELDS[field] ?? null;
}

export type Mode = "first" | "change";

/** The mode is in the address; without it, the account decides, once it is loaded. */
export function modeOf(isTrue: string | null, isSet: boolean | undefined): Mode | null {
  if (isTrue === "true") return "change";
  if (isTrue === "false") return "first";
  if (isSet === undefined) return null;
  return isSet ? "change" : "first";
}
