export { default } from "./security.en.ts";
