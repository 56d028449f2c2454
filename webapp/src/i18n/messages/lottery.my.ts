export { default } from "./lottery.en.ts";
