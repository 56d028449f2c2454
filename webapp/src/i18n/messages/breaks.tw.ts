export default {
  title: "限額與休息",
  timeOut: "暫停至 {time}。期間不能投注或儲值，提領不受影響。",
  excluded: "您已自我禁止至 {time}。期間不能投注或儲值，提領不受影響。",
  forGood: "您已永久自我禁止。不能投注或儲值，提領不受影響。",
  closed: "此帳號已停止投注與儲值，提領不受影響。",
  withdraw: "提領",
};
