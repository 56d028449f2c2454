export { default } from "./chat.en.ts";
