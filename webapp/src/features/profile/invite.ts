/** The register page's address with the inviter's id, on the host that the app was loaded from. */
export function inviteLink(origin: string, base: string, userId: string): string {
  const query = new URLSearchParams({ inviter_id: userId });
  return new URL(`${base}register?${query}`, origin).href;
}
