/** Words that would promise a profit: no text may have them. */
export default /무조건 이|반드시 이/;
