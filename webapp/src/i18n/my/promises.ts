/** Words that would promise a profit: no text may have them. */
export default /dijamin|jaminan menang|pasti menang|tanpa risiko/i;
