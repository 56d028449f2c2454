export { default } from "./home.en.ts";
