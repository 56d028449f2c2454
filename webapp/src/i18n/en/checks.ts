export default {
  title: "What the check shows",
  lead: "You do not have to believe the house: your phone recalculates every draw and looks up your bets in the records of the house. This page says what that shows, and what it does not.",
  about: "What this shows, and what it does not",
  parties: {
    title: "Two parties make a draw",
    text1:
      "A draw is calculated from two secrets. One belongs to the house, the other to a witness. Before the first sale of the day, both publish a value that fixes their secrets, so neither can exchange one later.",
    text2:
      "When sales close, the house signs the list of all bets. Only then does the witness reveal its secret. The digits follow from both secrets and the list, so neither party alone can know or choose them while bets are taken.",
  },
  self: {
    title: "Self-witnessed",
    text1:
      "If a proof says this, the house runs the witness too and has both secrets. It could know a draw in advance, or try lists of bets until a draw suits it, and your phone could not see it. Only a witness that someone else runs, or a public beacon that the proof shows, rules this out.",
  },
  receipt: {
    title: "Your receipt",
    text1: "For every bet you get a signed receipt with its round, kind, stake, odds and time.",
    text2:
      "Your phone checks that your receipt is in the signed list, and that you were paid what your odds say. If not, the receipt proves it: the house cannot deny its signature.",
  },
  log: {
    title: "The log",
    text1:
      "The house writes everything that happens into one log: deposits, bets, draws, payouts. About every second it signs how long the log is, with a fingerprint of all of it. That is a checkpoint.",
    text2: "Your phone checks the signature, and that your bets of the round are in that log.",
  },
  kept: {
    title: "Checkpoints that your phone keeps",
    text1:
      "Your phone keeps checkpoints that it has seen. At each check, the log of today must continue them. If the house changes or removes an old entry, that fails and the phone raises an alarm.",
    text2:
      "They are kept in this browser only. After you clear its data, the next check has nothing to compare with.",
  },
  compare: {
    title: "Comparing with others",
    text1:
      "The house could show two people different logs, each without a fault. One phone alone cannot notice that. Two can.",
    text2:
      "Under a draw’s proof, open “Compare with another phone” and paste a checkpoint that a friend sent you. If the logs differ, save both checkpoints as evidence.",
    text3:
      "Where the app has two lines, your phone also compares what both show. Both belong to the house, so a friend’s phone in another place shows more.",
  },
  evidence: {
    title: "Evidence files",
    text1:
      "A file saved from a proof or from your account has all that someone else needs to check it, without this app and without the house. It shows your player number and no name. A file from a proof shows your bet or bets, one from your account all your money entries: deposits, bets, payouts and the rest.",
    text2:
      "Save it while a round is on sale and again after the draw: then you can show later that nothing was exchanged.",
  },
  limits: {
    title: "What none of this shows",
    paid: "That the house pays out. The log shows what it owes you, not that the money arrives.",
    odds: "That the odds are good. All draws are equally likely, but on average almost every bet returns less than its stake. The statistics show how much.",
    together:
      "That house and witness do not work together. If they share their secrets, it is as if self-witnessed.",
    refused: "That every bet was accepted. A bet that the house refused has no receipt.",
    others: "Who the other players are. The list shows how many bets there are, not whose.",
    app: "That this app is honest: the house delivers it. Evidence files can be checked with other programs.",
  },
} as const;
