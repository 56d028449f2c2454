export default {
  title: "Security",
} as const;
