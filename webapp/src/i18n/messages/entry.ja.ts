export { default } from "./entry.en.ts";
