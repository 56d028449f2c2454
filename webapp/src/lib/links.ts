/** A link that leaves the app: only the web's own schemes, whatever the configuration holds. */
export function isLink(address: string): boolean {
  return /^(https?|wss?):\/\//.test(address);
}
