export default {
  title: "Limits and breaks",
  timeOut: "Time-out until {time}. No bets and no deposits; withdrawals stay open.",
  excluded: "Self-excluded until {time}. No bets and no deposits; withdrawals stay open.",
  forGood: "Self-excluded for good. No bets and no deposits; withdrawals stay open.",
  closed: "This account is closed for bets and deposits; withdrawals stay open.",
  withdraw: "Withdraw",
} as const;
