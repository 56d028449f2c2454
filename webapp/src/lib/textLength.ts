/** Characters as the server counts them: whole ones, without blanks at the ends. */
export const textLength = (words: string): number => Array.from(words.trim()).length;
