export { default } from "./protection.en.ts";
