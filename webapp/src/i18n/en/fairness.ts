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
  lateAnswer: {
    none: "It has not said so since.",
    released:
      "The witness stated later that it had released its secret value. The round should have been drawn: this void is a breach of the house’s rules. The stakes stay returned.",
    not_released:
      "The witness signed later that it never released its secret value, and never will.",
    unknown:
      "The witness answered later that it cannot say: it has no usable record of this round.",
  },
  waiting: {
    title: "Waiting.",
    awaiting_witness:
      "This round has been due since {time}. It waits for its witness, which has not given the secret value that the draw needs. The house asks again and again.",
    awaiting_beacon:
      "This round has been due since {time}. It waits for the public beacon, whose value could not be fetched yet.",
    awaiting_void:
      "This round has been due since {time} and cannot be drawn at present: one of the two secret values is missing. Two managers may void it and return every stake.",
    awaiting_earlier_round:
      "This round has been due since {time}. It waits for an earlier round, which must be drawn or voided first.",
  },
  follows: {
    title: "A new segment.",
    day: "A new day.",
    said: "The house says:",
    witness_behind:
      "New chains of secrets were begun because the witness was restored from an older copy.",
    witness_lost:
      "New chains of secrets were begun because the witness no longer had its records of the earlier ones.",
    house_behind:
      "New chains of secrets were begun because the witness had answered for rounds that the log of the house lacks: the house was restored from an older copy.",
    house_restored:
      "New chains of secrets were begun because the house was restored from a backup.",
    chain_lost: "New chains of secrets were begun because the house lost its own earlier chain.",
    contradiction:
      "New chains of secrets were begun because the witness had already released its secret for another list of bets of the same round.",
    witness_contradicts:
      "New chains of secrets were begun because an answer of the witness did not match what it had committed to.",
    declined:
      "New chains of secrets were begun because the witness declined to continue the earlier ones ({reason}).",
    witness_changed: "From here on another witness takes part in the draws.",
    operator_changed: "From here on the house signs with another key.",
    schedule_changed: "From here on another schedule of rounds applies.",
    odds_changed: "From here on other odds apply.",
    beacon_changed: "From here on the use of a public beacon is another one.",
    late_start: "The house started late on this day, after its first round.",
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
    beacon: {
      title: "The public beacon",
      text: "Round {round} of the public randomness beacon {network} is the first that was published at least six seconds after the close. Its network signed it; the signature was checked on this phone.",
    },
    digits: {
      title: "The digits",
      text: "They follow from both secrets and the sealed list. Recalculated on this phone (HMAC-SHA256), they match those that were published.",
      withBeacon:
        "They follow from both secrets, the sealed list and the beacon. Recalculated on this phone (HMAC-SHA256), they match those that were published.",
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
    inLog: "Entry {position, number} in the log of the house.",
    notInLog: "The log of the house does not have this bet as you have its receipt.",
    notLooked:
      "Not looked up in the log: this page does that for the first {most, number} bets of a round.",
    notLogged: "Its entry in the log is sealed about a second after the bet.",
    save: "Save the evidence of this bet",
  },
  log: {
    title: "The log of the house",
    checking: "Checking the log…",
    unanswered: "The log cannot be reached at the moment. This phone tries again.",
    first:
      "The house signed a log of {size, number} entries. This phone now keeps that checkpoint, and compares the next ones with it.",
    continues:
      "The house signed a log of {size, number} entries. It continues the log that this phone saw on {time}: nothing in it was changed or removed since.",
    cosigned: "The witness has signed it too, as a continuation of what it saw before.",
    unsigned: "What the house shows as its log is not signed by the house.",
    fork: "The log does not continue the one that this phone saw on {time}.",
    otherKey: "This is not the log that this phone saw on {time}: it is signed with another key.",
    alarm:
      "Alarm: the house has changed its history, or shows different histories to different people. The two checkpoints below prove it. Save them and give them to an auditor.",
    alarmSizes:
      "Alarm: the house shows two logs, and could not show that one continues the other. It signed both checkpoints below. Save them and give them to an auditor, who can compare them with the whole log.",
    alarmKey:
      "Alarm: the house signs its log with another key than before, so this phone cannot compare the two logs. The first checkpoint below was signed with the earlier key, the second with the present one. Save them and give them to an auditor, who can ask why the key was changed and compare both with the whole log.",
    kept: "The checkpoint that this phone kept",
    shown: "The checkpoint that the house shows now",
    other: "The checkpoint of the other phone",
    save: "Save both checkpoints",
    forget: "Forget what this phone kept",
    lines: {
      same: "Line {line} shows the same log.",
      split: "Line {line} shows another log than the line that you use.",
      unsigned: "What line {line} shows as the log of the house is not signed by the house.",
      unanswered:
        "Line {line} cannot be reached at the moment, so its log was not compared. That says nothing against the log.",
      shown: "The checkpoint that line {line} shows",
    },
    compare: {
      title: "Compare with another phone",
      hint: "The checkpoint of the other phone, from its page of a draw’s proof",
      action: "Compare",
      same: "Both phones see the same log.",
      invalid: "This is not a checkpoint that the house signed.",
      unanswered: "The log cannot be reached at the moment.",
    },
  },
  limits: {
    title: "What this does not prove",
    self: "That no one knew the draw in advance. Anyone who controls both secrets could; only an independent witness rules this out.",
    beacon:
      "That the list of bets was sealed before the beacon published its value. Open a round between its close and its draw, keep the evidence, and compare later.",
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
    network: "Network of the beacon",
    beaconRound: "Round of the beacon",
    randomness: "Randomness of the beacon (SHA-256 of its signature)",
    beaconSignature: "Signature of the beacon (BLS)",
    previousSignature: "Signature of the previous round of the beacon",
    stream: "First bytes of the calculation",
    digits: "Digits calculated here",
    receipt: "Receipt",
    checkpoint: "Checkpoint of the log",
    entry: "Entry in the log",
  },
  copy: "Copy: {name}",
  download: "Download the evidence",
} as const;
