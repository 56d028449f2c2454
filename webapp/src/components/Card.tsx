import type { ComponentProps } from "react";
import { classes } from "../lib/classes.ts";
import styles from "./Card.module.css";

export function Card({ className, ...rest }: ComponentProps<"section">) {
  return <section {...rest} className={classes(styles.card, className)} />;
}
