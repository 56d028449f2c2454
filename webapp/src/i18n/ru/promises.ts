/** Words that would promise a profit: no text may have them. */
export default /гарантир|без риска|беспроигрыш|верный выигрыш/i;
