/** Texts that are the same in English: loanwords and names. `texts.test.ts` takes every other one for untranslated. */
export default ["Bot", "Long", "Short", "Singapore", "New Zealand", "Kuala Lumpur"];
