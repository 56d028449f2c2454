export interface RegisterForm {
  username: string;
  password: string;
  confirm: string;
  invite: string;
}

/** Names of texts under `entry`, by field. */
export type FormProblems = {
  username?: "needUsername" | "badUsername";
  password?: "needPassword" | "badPassword";
  confirm?: "needConfirm" | "mismatch";
};

const USERNAME = /^(?=.*[a-z])(?=.*\d)[a-z\d]{6,16}$/i;
const MIN_PASSWORD = 8;
const MAX_PASSWORD = 64;

function usernameProblem(username: string): FormProblems["username"] {
  if (username === "") return "needUsername";
  return USERNAME.test(username) ? undefined : "badUsername";
}

function passwordProblem(password: string): FormProblems["password"] {
  if (password === "") return "needPassword";
  const fits = password.length >= MIN_PASSWORD && password.length <= MAX_PASSWORD;
  return fits ? undefined : "badPassword";
}

function confirmProblem(form: RegisterForm): FormProblems["confirm"] {
  if (form.confirm === "") return "needConfirm";
  return form.confirm === form.password ? undefined : "mismatch";
}

/** The errors of a registration; empty when there are none. */
export function registerProblems(form: RegisterForm): FormProblems {
  const username = usernameProblem(form.username);
  const password = passwordProblem(form.password);
  const confirm = confirmProblem(form);
  return {
    ...(username && { username }),
    ...(password && { password }),
    ...(confirm && { confirm }),
  };
}

const FIELDS: Record<string, keyof RegisterForm> = {
  username_taken: "username",
  username_invalid: "username",
  password_invalid: "password",
  inviter_unknown: "invite",
};

/** The field that a refusal is about, if any. */
export function refusedField(reason: string): keyof RegisterForm | undefined {
  return FIELDS[reason];
}

const CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** `length` capitals, each equally likely: bytes that would favour early letters are dropped. */
export function randomCapitals(length: number, bytes: () => Uint8Array = freshBytes): string {
  const limit = 256 - (256 % CAPITALS.length);
  let text = "";
  while (text.length < length) {
    const fair = Array.from(bytes()).filter((byte) => byte < limit);
    text += fair.map((byte) => CAPITALS[byte % CAPITALS.length]).join("");
  }
  return text.slice(0, length);
}

function freshBytes(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(16));
}

/** A visitor's name: the label and the Unix second. */
export function visitorName(now: number): string {
  return `visitor${Math.floor(now / 1000)}`;
}
