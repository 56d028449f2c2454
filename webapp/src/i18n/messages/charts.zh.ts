export default {
  title: "图表",
};
