export { default } from "./room.en.ts";
