export default {
  title: "Proof of a draw",
  round: "{game}, round {issue}",
  drawnAt: "Drawn {time}",
  drawDue: "To be drawn {time}",
  checking: "Checking on this phone…",
  verdict: {
    right: "Checked on this phone: everything matches.",
    wrong: "Something does not match. Keep the evidence: anyone can check it.",
    later: "Not finished yet. What is published so far matches.",
    voided: "Checked on this phone: this round was not drawn, and everything else matches.",
  },
  voided: "This round was voided and every stake returned. The reason given: {reason}",
  voidStatus: {
    unattested: {
      title: "Unattested.",
      text: "The witness did not say whether it had released its secret value, so two managers had to agree to the void.",
    },
    breach: {
      title: "Breach.",
      text: "The witness had released its secret value, and the house could not complete the draw. That is a breach of its rules.",
    },
  },
  selfWitnessed: "Self-witnessed.",
  selfWitnessedText: "The house runs the witness itself, on the same machine.",
  marks: {
    right: "Right:",
    wrong: "Wrong:",
    later: "Not yet:",
    wrongText: "This does not match what was published.",
  },
  atClose: "Available once betting closes.",
  atDraw: "Available after the draw.",
  steps: {
    day: {
      title: "Commitments before the first sale",
      text: "The house and the witness each published where their chain of secrets for the day ends, and both signed it.",
    },
    frozen: {
      title: "The sealed list of bets",
      text: "{count, plural, =0 {No bets stood. The house signed a hash that says so.} one {The one bet that stood was hashed, and the house signed the result.} other {All # bets that stood were hashed into one value, which the house signed.}}",
    },
    operator: {
      title: "The secret of the house",
      text: "Hashed {times, plural, one {# time} other {# times}}, this round's secret gives the value that the house published before the first sale. No other secret would.",
    },
    witness: {
      title: "The secret of the witness",
      text: "This secret leads to the value the witness had published, and the witness signed that it was released for this sealed list and no other.",
      cancelled:
        "This secret leads to the value the witness had published, and the witness signed that it was never released for a draw.",
    },
    digits: {
      title: "The digits",
      text: "They follow from both secrets and the sealed list. Recalculated on this phone (HMAC-SHA256), they match those that were published.",
    },
    sum: {
      title: "The sum",
      text: "{a, number} + {b, number} + {c, number} = {sum, number}",
    },
  },
  bets: {
    title: "Your bets on this round",
    stake: "{kind}, {amount}u",
    inList: "Number {place, number} of {count, number} in the sealed list.",
    notInList: "Not in the sealed list, although you have its receipt.",
    notMine: "The receipt is not yours, or not of this round.",
    unproved:
      "No inclusion proof was provided for this bet, so its place in the list was not checked.",
    notSealed: "The list is sealed when sales close.",
    paid: "Paid {amount}u, as its odds say.",
    paidWrong: "Paid {amount}u, which is not what its odds say.",
    returned: "The stake was returned.",
    returning: "The stake is being returned.",
  },
  limits: {
    title: "What this does not prove",
    self: "That no one knew the draw in advance. Anyone who controls both secrets could; only an independent witness rules this out.",
    before:
      "That the published values were there before the first sale. Open a round while it is on sale, keep its evidence, and compare later.",
    others:
      "Who placed the other bets. The sealed list shows how many there are and how much was staked on each kind.",
    edge: "That betting is profitable. Every draw is equally likely, but the odds still leave the house an edge on almost every bet.",
  },
  values: {
    show: "Show the values",
    record: "Signed record",
    hash: "Hash of the record (SHA-256)",
    operatorKey: "Public key of the house",
    witnessKey: "Public key of the witness",
    operatorSignature: "Signature of the house",
    witnessSignature: "Signature of the witness",
    published: "Value published before the first sale",
    secret: "Secret of this round",
    reached: "What the secret leads to",
    stream: "First bytes of the calculation",
    digits: "Digits calculated here",
    receipt: "Receipt",
  },
  copy: "Copy: {name}",
  download: "Download the evidence",
} as const;
