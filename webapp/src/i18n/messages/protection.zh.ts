export default {
  title: "限额与休息",
};
