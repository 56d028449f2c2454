export { default } from "./money.en.ts";
