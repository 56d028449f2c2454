/** Words that would promise a profit: no text may have them. */
export default /穩賺|必中|保證獲利|包贏/;
