export default {
  title: "限額與休息",
  timeOut: "已暫停至 {time}，期間不能投注或儲值，提領不受影響。",
  excluded: "依您的申請，自我排除至 {time}，期間不能投注或儲值，提領不受影響。",
  forGood: "依您的申請，已永久自我排除，不能投注或儲值，提領不受影響。",
  closed: "此帳號已停止投注與儲值，提領不受影響。",
  withdraw: "提領",
};
