export { default } from "./charts.en.ts";
