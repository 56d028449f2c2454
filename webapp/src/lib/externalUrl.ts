/** A link that leaves the app: only the web's own schemes, whatever the configuration holds. */
export const isLink = (address: string): boolean => /^https?:\/\//.test(address);

/** The address of a web socket. */
export const isSocket = (address: string): boolean => /^wss?:\/\//.test(address);
