export { default } from "./news.en.ts";
