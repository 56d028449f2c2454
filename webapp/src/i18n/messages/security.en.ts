export default {
  stepUp: {
    title: "Confirm your password",
    text: "This device was not used for a while. Before money is moved, please confirm that it is you.",
    password: "Password",
    need: "Please enter your password",
    wrong: "The password is wrong. After three wrong ones none is taken for 30 minutes.",
    go: "Confirm",
  },
} as const;
