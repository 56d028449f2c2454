export default {
  title: "安全",
};
