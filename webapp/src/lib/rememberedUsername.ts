const NAME = "fairdraw_username";
const DAYS = 14;

/** Keeps the user name on this device for 14 days; never the password. */
export function rememberUsername(username: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing on plain http.
  document.cookie = `${NAME}=${encodeURIComponent(username)}; Path=/vip; SameSite=Strict; Max-Age=${DAYS * 86_400}`;
}

export function forgetUsername(): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing on plain http.
  document.cookie = `${NAME}=; Path=/vip; SameSite=Strict; Max-Age=0`;
}

/** The user name in a cookie header's text, or nothing. */
export function usernameIn(cookies: string): string {
  const found = cookies.split("; ").find((cookie) => cookie.startsWith(`${NAME}=`));
  return found === undefined ? "" : decodeURIComponent(found.slice(NAME.length + 1));
}
