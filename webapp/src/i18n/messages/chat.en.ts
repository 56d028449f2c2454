export default {
  title: "Chat",
} as const;
