export default {
  title: "Limits and breaks",
} as const;
