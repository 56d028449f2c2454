/** Words that would promise a profit: no text may have them. */
export default /guarantee|sure win|risk.?free/i;
