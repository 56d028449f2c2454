/** Whether the house sells no game at all any more: staff closed everything. */
export function isDiscontinued(games: readonly { status: 0 | 1 }[]): boolean {
  return games.length > 0 && games.every((game) => game.status === 0);
}
