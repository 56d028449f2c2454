/** Our own line icons on a 24-unit grid. */
const PATHS = {
  back: "M15 5l-7 7 7 7",
  next: "M9 5l7 7-7 7",
  down: "M5 9l7 7 7-7",
  backspace: "M9 5h11a1 1 0 0 1 1 1v12a1 1 0 0 1-1 1H9l-6-7zM12 9.5l5 5M17 9.5l-5 5",
  copy: "M9 9h10v11H9zM5 15V4h10",
  download: "M12 4v11M7 10.5l5 5 5-5M5 20h14",
  phone: "M8 3h8a1 1 0 0 1 1 1v16a1 1 0 0 1-1 1H8a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1zM11 18h2",
  camera: "M4 8h3l2-3h6l2 3h3v11H4zM12 16.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6z",
  picture: "M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.5 9h.01",
  share: "M12 15V4M8 7.5l4-4 4 4M7 11H5v9h14v-9h-2",
  trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5",
  clock: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3.5 2",
  close: "M6 6l12 12M18 6L6 18",
  plus: "M12 5v14M5 12h14",
  check: "M5 12.5l4.5 4.5L19 7.5",
  alert: "M12 4l9 16H3zM12 10v4M12 17v.5",
  home: "M4 11l8-7 8 7v8a1 1 0 0 1-1 1h-4v-6h-6v6H5a1 1 0 0 1-1-1z",
  wallet:
    "M4 7a2 2 0 0 1 2-2h11v3M4 7v10a2 2 0 0 0 2 2h13a1 1 0 0 0 1-1V9a1 1 0 0 0-1-1H6a2 2 0 0 1-2-1zM16 13.5h.5",
  service:
    "M5 14v-2a7 7 0 0 1 14 0v2M5 13h2v5H6a2 2 0 0 1-2-2v-2a1 1 0 0 1 1-1zM19 13h-2v5h1a2 2 0 0 0 2-2v-2a1 1 0 0 0-1-1zM17 18c0 2-2 3-4 3",
  person: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20c.8-3.6 3.7-5.5 7.5-5.5s6.7 1.9 7.5 5.5",
  globe:
    "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM3 12h18M12 3c2.5 2.5 3.8 5.5 3.8 9s-1.3 6.5-3.8 9c-2.5-2.5-3.8-5.5-3.8-9S9.5 5.5 12 3z",
  gear: "M10.2 5.3L10.4 2.7L13.6 2.7L13.8 5.3L15.4 6.0L17.4 4.3L19.7 6.6L18.0 8.6L18.7 10.2L21.3 10.4L21.3 13.6L18.7 13.8L18.0 15.4L19.7 17.4L17.4 19.7L15.4 18.0L13.8 18.7L13.6 21.3L10.4 21.3L10.2 18.7L8.6 18.0L6.6 19.7L4.3 17.4L6.0 15.4L5.3 13.8L2.7 13.6L2.7 10.4L5.3 10.2L6.0 8.6L4.3 6.6L6.6 4.3L8.6 6.0zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6z",
  tag: "M4 5v6.5L12.5 20 20 12.5 11.5 4H5a1 1 0 0 0-1 1zM8 8h.01",
  swap: "M4 8.5h15M15.5 5l3.5 3.5-3.5 3.5M20 15.5H5M8.5 12L5 15.5 8.5 19",
  filter: "M4 6h16M7 12h10M10 18h4",
  book: "M5 4h10a3 3 0 0 1 3 3v13H8a3 3 0 0 1-3-3zM9 9h5M9 13h5",
  bell: "M6 16V11a6 6 0 0 1 12 0v5l1.5 2h-15zM10 21h4",
  list: "M8 6h12M8 12h12M8 18h12M4 6h.5M4 12h.5M4 18h.5",
  chart: "M4 20V4M4 20h16M8 16l4-5 3 3 5-7",
  card: "M3 7a2 2 0 0 1 2-2h14a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2zM3 10h18",
  lock: "M6 11h12v9H6zM9 11V8a3 3 0 0 1 6 0v3",
  exit: "M14 4H6v16h8M10 12h11M17 8l4 4-4 4",
  speaker: "M4 10v4h3l5 4V6l-5 4zM16 9c1.2 1.8 1.2 4.2 0 6M18.5 7c2.3 3 2.3 7 0 10",
  inbox: "M4 13l3-8h10l3 8v6H4zM4 13h5l1 2h4l1-2h5",
  eye: "M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 14.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z",
  news: "M4 5h13v14H6a2 2 0 0 1-2-2zM17 9h3v8a2 2 0 0 1-2 2M7 9h7M7 13h7M7 16h4",
  mail: "M4 6h16v12H4zM4 7.5l8 6 8-6",
  send: "M4 12l16-8-6 17-3.5-7.5zM10.5 13.5L20 4",
  refresh: "M19 12a7 7 0 1 1-2-5l2 2M19 4v5h-5",
  follow:
    "M9 12a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3 19c.6-3 2.8-4.5 6-4.5s5.4 1.5 6 4.5M18 8v6M15 11h6",
  info: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 11v5M12 8v.5",
  theme: "M12 3a9 9 0 1 0 9 9 7 7 0 0 1-9-9z",
  shield: "M12 3l8 3v6c0 5-3.5 8-8 9-4.5-1-8-4-8-9V6z",
  hourglass: "M6 3h12M6 21h12M7.5 3v3.5L12 12l4.5-5.5V3M7.5 21v-3.5L12 12l4.5 5.5V21",
  dice: "M5 4h14a1 1 0 0 1 1 1v14a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1zM8.5 8.5h.01M15.5 8.5h.01M12 12h.01M8.5 15.5h.01M15.5 15.5h.01",
} as const;

export type IconName = keyof typeof PATHS;

const ROOT_PX = 16;

/** `size` is in px next to text of the default size, and grows with the text. */
export function Icon({ name, size = 24 }: { name: IconName; size?: number }) {
  const side = `${size / ROOT_PX}rem`;
  return (
    <svg
      width={side}
      height={side}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.7"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
