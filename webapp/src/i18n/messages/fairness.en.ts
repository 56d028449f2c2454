export default {
  title: "Proof of a draw",
} as const;
