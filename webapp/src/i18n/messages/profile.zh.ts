export default {
  title: "账户资料",
};
