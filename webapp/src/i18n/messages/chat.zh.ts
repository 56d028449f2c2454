export default {
  title: "聊天室",
};
