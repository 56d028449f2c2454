export default {
  title: "Limits and breaks",
  timeOut: "Time-out until {time}. Betting and deposits are paused; you can still withdraw.",
  excluded: "Self-excluded until {time}. Betting and deposits are paused; you can still withdraw.",
  forGood: "Permanently self-excluded. Betting and deposits are closed; you can still withdraw.",
  closed: "This account is closed for betting and deposits; you can still withdraw.",
  withdraw: "Withdraw",
} as const;
