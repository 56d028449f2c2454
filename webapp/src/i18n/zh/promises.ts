/** Words that would promise a profit: no text may have them. */
export default /稳赚|必中|保证盈利|包赢/;
