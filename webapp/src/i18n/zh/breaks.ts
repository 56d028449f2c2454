export default {
  title: "限额与休息",
  timeOut: "已暂停至 {time}，期间不能投注或充值，提现不受影响。",
  excluded: "应您的申请，自我排除至 {time}，期间不能投注或充值，提现不受影响。",
  forGood: "应您的申请，已永久自我排除，不能投注或充值，提现不受影响。",
  closed: "此账号已停止投注与充值，提现不受影响。",
  withdraw: "提现",
};
