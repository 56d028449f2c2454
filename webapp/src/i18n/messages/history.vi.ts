export { default } from "./history.en.ts";
