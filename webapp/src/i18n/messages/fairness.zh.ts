export default {
  title: "开奖证明",
};
