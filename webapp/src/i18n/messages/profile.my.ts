export { default } from "./profile.en.ts";
