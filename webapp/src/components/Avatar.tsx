import type { ReactNode } from "react";
import { useProfile } from "../api/commonQueries.ts";
import { usePhoto } from "../lib/avatarPhoto.ts";
import { classes } from "../lib/classes.ts";
import styles from "./Avatar.module.css";
import deer from "./avatars/deer.svg";
import fox from "./avatars/fox.svg";
import hare from "./avatars/hare.svg";
import koala from "./avatars/koala.svg";
import lion from "./avatars/lion.svg";
import owl from "./avatars/owl.svg";
import panda from "./avatars/panda.svg";
import penguin from "./avatars/penguin.svg";

/** The built-in pictures by their numbers, 1 to 8. */
export const AVATARS = [
  { number: 1, name: "fox", picture: fox },
  { number: 2, name: "owl", picture: owl },
  { number: 3, name: "panda", picture: panda },
  { number: 4, name: "hare", picture: hare },
  { number: 5, name: "lion", picture: lion },
  { number: 6, name: "koala", picture: koala },
  { number: 7, name: "deer", picture: deer },
  { number: 8, name: "penguin", picture: penguin },
] as const;

function pictureOf(number: number): string {
  return AVATARS.find((avatar) => avatar.number === number)?.picture ?? fox;
}

interface AvatarProps {
  /** Number of a built-in picture; the first for an unknown number. */
  number: number;
  size: number;
  className?: string | undefined;
}

/** A built-in picture. It has no alternative text, because the name is next to it. */
export function Avatar({ number, size, className }: AvatarProps) {
  return <Picture address={pictureOf(number)} size={size} className={className} />;
}

/** The signed-in player's photo on this device, else the picture they chose. */
export default function OwnAvatar({ size, className }: Omit<AvatarProps, "number">): ReactNode {
  const photo = usePhoto();
  const chosen = useProfile().data?.avatar ?? 1;
  return <Picture address={photo ?? pictureOf(chosen)} size={size} className={className} />;
}

function Picture({ address, size, className }: { address: string } & Omit<AvatarProps, "number">) {
  return (
    <img
      src={address}
      alt=""
      width={size}
      height={size}
      className={classes(styles.avatar, className)}
    />
  );
}
