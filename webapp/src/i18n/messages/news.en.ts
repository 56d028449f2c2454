export default {
  title: "News",
} as const;
