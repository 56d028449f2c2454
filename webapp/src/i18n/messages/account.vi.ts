export { default } from "./account.en.ts";
