export default {
  title: "Account name and picture",
} as const;
