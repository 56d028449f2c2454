export default {
  title: "资讯",
};
