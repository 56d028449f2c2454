export default {
  title: "Charts",
} as const;
