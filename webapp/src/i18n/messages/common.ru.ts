export { default } from "./common.en.ts";
