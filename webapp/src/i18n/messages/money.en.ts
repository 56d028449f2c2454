export default {
  title: "Money",
} as const;
