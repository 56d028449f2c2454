export { default } from "./fairness.en.ts";
