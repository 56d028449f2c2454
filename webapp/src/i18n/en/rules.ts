export default {
  halls: "Halls",
  halls1:
    "Every game has nine halls: three levels, VIP1 to VIP3, each with an ordinary, a mid-level and a high-level hall. All halls of a game share its rounds and draws.",
  halls2:
    "A hall has a minimum stake per bet and a minimum balance for entering. The list of halls shows both.",
  close:
    "The countdown warns in the last ten seconds. After the close nothing can be bought, followed or recalled; the draw follows.",
  follow:
    "Following places a bet of your own on the same choice, in the current round only. Nothing bets by itself.",
  drawn: "{draws, number} of 1,000 draws",
  over: "A return above 100% is an average over all draws too. It says nothing about the next rounds.",
  numberBet: "Number bet",
  exactSum: "The exact sum",
  flat: "Flat means neither long nor short: only single or double counts, whatever the size of the sum.",
  name: "Name",
  draw1:
    "Each digit is equally likely in each of the three places. Earlier draws say nothing about the next one.",
  draw2:
    "Once a round closes, bets can be neither added nor removed. Only then does the witness reveal its value. So, where house and witness are two parties, neither alone can know a draw while bets are taken.",
  draw3: "A round waits for both values. One that cannot be drawn returns every stake.",
  draw4:
    "The proof of each draw says who ran the witness. Where it is the house itself, the house has both values; only an independent witness rules out that it knew a draw beforehand.",
  draw5:
    "On the page Fund details you can save a file that shows each of your entries in the log that the house signed. Anyone can verify it.",
  turnover1:
    "What counts is effective turnover: your stakes in a round minus what they pay back on average in its worst 25% of draws. A bet that wins on no more than three quarters of the draws counts in full.",
  turnover2: "Recalled and voided bets do not count.",
  levels: "Levels",
  levels1:
    "A level is reached by a member's effective turnover over their whole time here. By default:",
  level: "Level",
  turnover: "Turnover",
  levels2: "A membership upgrade needs its turnover completed.",
  levels3:
    "A quota reserves the next level, for 30 days by default. After it is reserved, withdrawals are closed until the promotion succeeds. You may release it at any time, and they are open again at once.",
  own: "Your own turnover and level",
  bonus: "Overnight bonus",
  bonus1:
    "Where the house gives one, it is by default 1% of the effective turnover of the day that ended, at most 88u.",
  bonus2:
    "It is bonus money at first. It needs 2× turnover and can be withdrawn after 24 hours. Bets take your available money first, then bonus money, and a payout returns in the same proportion.",
  forbidden: "Not allowed",
  forbidden1: "Matching odd and even with the same numbers.",
  forbidden2: "Wash betting: bets that cancel each other, alone or together with others.",
  forbidden3: "Collecting bonuses in bad faith, for instance with several accounts.",
  control: "Staying in control",
  control1:
    "You can limit deposits and losses, be reminded of the time, take a time-out or exclude yourself. Withdrawals stay open in each case.",
} as const;
