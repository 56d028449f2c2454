/** Texts that are the same in English: loanwords and names. `texts.test.ts` takes every other one for untranslated. */
export default [
  "Bank",
  "Bonus",
  "Bot",
  "Deposit",
  "Digit",
  "Minimum",
  "Minimum {minimum}u",
  "No. {issue}",
  "Odds",
  "New Zealand",
  "Kuala Lumpur",
  "Australia",
  "Panda",
  "Koala",
  "Penguin",
];
