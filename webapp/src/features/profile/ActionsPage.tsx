export { default } from "../../components/NotOpenPage.tsx";
