export default {
  title: "限额与休息",
  timeOut: "暂停至 {time}。期间不能投注或充值，提现不受影响。",
  excluded: "您已自我禁止至 {time}。期间不能投注或充值，提现不受影响。",
  forGood: "您已永久自我禁止。不能投注或充值，提现不受影响。",
  closed: "此账号已停止投注与充值，提现不受影响。",
  withdraw: "提现",
};
