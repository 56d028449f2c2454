/** Words that would promise a profit: no text may have them. */
export default /必ず儲|必ず勝/;
